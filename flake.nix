# mayi for Nix, built from these sources: `nix run .`, `nix profile install .`. Version and dependencies are those of Cargo.toml and
# Cargo.lock, so there is no checksum here that could go stale.
{
  description = "The permission gate between people and their AI agents";

  # Its Rust has to be at least the one that Cargo.toml names (`rust-version`).
  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs = { self, nixpkgs }:
    let
      workspace = (builtins.fromTOML (builtins.readFile ./Cargo.toml)).workspace.package;
      systems = [ "x86_64-linux" "aarch64-linux" "x86_64-darwin" "aarch64-darwin" ];
      each = make: nixpkgs.lib.genAttrs systems (system: make nixpkgs.legacyPackages.${system});
    in
    {
      packages = each (pkgs: rec {
        default = mayi;
        mayi = pkgs.rustPlatform.buildRustPackage {
          pname = "mayi";
          version = workspace.version;
          src = self;
          cargoLock.lockFile = ./Cargo.lock;
          buildType = "dist";
          cargoBuildFlags = [ "-p" "mayi" "-p" "mayi-man" ];
          # They start programs and editors: `tests/run`, in a checkout.
          doCheck = false;
          nativeBuildInputs = [ pkgs.installShellFiles ];
          postInstall = ''
            $out/bin/mayi-man man && rm $out/bin/mayi-man
            installManPage man/*.1
            for shell in bash fish zsh; do $out/bin/mayi completions $shell > mayi.$shell; done
            installShellCompletion mayi.{bash,fish,zsh}
            install -Dm644 core/config/mayi.schema.json $out/share/mayi/mayi.schema.json
          '';
          meta = {
            description = workspace.description;
            license = with pkgs.lib.licenses; [ mit asl20 ];
            mainProgram = "mayi";
          };
        };
      });
    };
}
