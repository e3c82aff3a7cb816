const port = process.env.PORT;

module.exports = {
  reporter: "line",
  use: {
    browserName: "chromium",
    launchOptions: { executablePath: process.env.BROWSER },
  },
  webServer: { command: `python3 -m http.server ${port}`, port: Number(port) },
};
