//! Files that a program makes of those that it is given, without a word for them: compilers, generators, formatters.

use super::*;

fn asked(decision: &Decision) -> bool {
    decision.effect == Deny || decision.always_asks()
}

/// A folder beside the workspace, and one in it, with sources.
fn scene() -> Scene {
    let scene = Scene::new();
    for folder in ["../beside", "gen", "gen/deep"] {
        std::fs::create_dir_all(scene.root.join(folder)).unwrap();
        for file in
            ["x.py", "x.ts", "tsconfig.json", "A.java", "x.pyx", "x.c", "x.scss", "x.adoc", "x.pug", "x.dot"]
        {
            std::fs::write(scene.root.join(folder).join(file), "").unwrap();
        }
    }
    scene
}

/// As a line may start it.
const STARTS: &[&str] =
    &["{}", "timeout 9 {}", "env {}", "sh -c '{}'", "cd src && cd .. && {}", "true; {}", "nice -n 5 {}"];

fn in_each_start(lines: impl IntoIterator<Item = String>) -> Vec<String> {
    let lines: Vec<String> = lines.into_iter().collect();
    STARTS.iter().flat_map(|start| lines.iter().map(|line| start.replace("{}", line))).collect()
}

/// `@` is the folder.
const BESIDE: &[&str] = &[
    "python3 -m compileall @",
    "python -m compileall -q @",
    "python3 -I -m compileall -j 2 @",
    "python3 -m compileall @/x.py",
    "python3 -m py_compile @/x.py",
    "python -m py_compile src/a.py @/x.py",
    "tsc -p @",
    "tsc --project @",
    "tsc -p @/tsconfig.json",
    "tsc --noEmit false -p @",
    "tsc @/x.ts",
    "tsc --target es2022 @/x.ts",
    "tsc -b @",
    "npx tsc -p @",
    "npx tsc @/x.ts",
    "javac @/A.java",
    "javac -g @/A.java",
    "cython @/x.pyx",
    "cythonize -i @/x.pyx",
    "nasm @/x.asm",
    "asciidoctor @/x.adoc",
    "pug @/x.pug",
    "stylus @/x.styl",
    "dot -O @/x.dot",
    "ghc @/x.hs",
    "ocamlopt @/x.ml",
    "sass src/a.scss:@/x.css",
    "sass src/a.scss @/x.css",
    "lessc src/a.less @/x.css",
    "plantuml @/x.puml",
    "python3 -m zipapp @/x",
    "python3 -m zipfile -e a.zip @",
    "python3 -m tarfile -e a.tar @",
    "python3 -m venv @/x",
    "optipng @/x.png",
    "mogrify -resize 9 @/x.png",
    "dos2unix @/x",
    "strip @/x",
    "patchelf --set-rpath x @/x",
    "autoflake -i @/x.py",
    "stylua @/x.lua",
    "standard --fix @/x.js",
    "convert a.png @/x.png",
    "ffmpeg -i a.mp4 @/x.mp4",
];

/// Options that name an output, whether the table lists the program or not.
const OUTPUTS: &[&str] = &[
    "pandoc -o @/x a.md",
    "pandoc -o@/x a.md",
    "pandoc --output @/x a.md",
    "pandoc --output=@/x a.md",
    "protoc --cpp_out=@ a.proto",
    "protoc --python_out=x=y:@ a.proto",
    "babel src -d @",
    "babel src --out-dir @",
    "javac -d @ A.java",
    "javadoc -d @ a",
    "hugo -d @",
    "hugo --destination @",
    "mkdocs build --site-dir=x --output-dir=@",
    "inkscape --export-filename=@/x a.svg",
    "swig -outdir @ x.i",
    "xgettext -o @/x a.c",
    "msgfmt -o @/x a.po",
    "re2c -o @/x a.re",
    "soffice --convert-to pdf --outdir @ a.odt",
    "unheard-of --outFile @/x",
    "unheard-of -o @/x",
    "unheard-of sub --report-file=@/x",
];

/// D4.10, D2.25: what a program makes beside what it is given is a write there. Attack 223.
#[test]
fn given_sources_elsewhere_then_what_makes_files_beside_them_is_asked_about_always() {
    let scene = scene();
    let policy = scene.denying(&[]);
    let lines = BESIDE.iter().chain(OUTPUTS).map(|line| line.replace('@', "../beside"));
    let lines = in_each_start(lines);
    let count = lines.len();
    held(&wrong(&scene, &policy, lines, asked), count, 400);
}

/// The same, where a rule denies writes. Attack 223.
#[test]
fn given_a_denied_folder_then_what_makes_files_of_sources_in_it_is_not_allowed() {
    let scene = scene();
    let (mut found, mut count) = (Vec::new(), 0);
    for pattern in ["write(gen/**)", "write(**/gen/**)", "write(gen)"] {
        let policy = scene.denying(&[pattern]);
        let lines = BESIDE.iter().chain(OUTPUTS).map(|line| line.replace('@', "gen"));
        let lines = in_each_start(lines);
        count += lines.len();
        found.extend(wrong(&scene, &policy, lines, |decision| decision.effect != Allow));
    }
    held(&found, count, 1000);
}

/// One name alone is denied. Attack 223.
#[test]
fn given_a_denied_file_then_what_makes_it_of_another_is_not_allowed() {
    let scene = scene();
    for (denied, line) in [
        ("src/a.js", "tsc src/a.ts"),
        ("src/a.d.ts", "tsc --declaration src/a.ts"),
        ("src/a.test.js", "tsc src/a.test.ts"),
        ("src/__pycache__/**", "python3 -m py_compile src/a.py"),
        ("src/a.c", "cython src/a.pyx"),
        ("a.o", "gcc -c src/a.c"),
        ("a.o", "cc -O2 -c gen/a.c"),
        ("a.out", "gcc src/a.c"),
        ("lex.yy.c", "flex src/a.l"),
        ("a.tab.c", "bison -d src/a.y"),
        ("a.pdf", "pdflatex src/a.tex"),
        ("a.aux", "xelatex -interaction=nonstopmode src/a.tex"),
        ("a", "rustc src/a.rs"),
        (".envrc", "rustc src/.envrc.rs"),
        ("liba.rlib", "rustc --crate-type lib src/a.rs"),
        ("a.beam", "erlc src/a.erl"),
        ("src/a.html", "asciidoctor src/a.adoc"),
        ("src/B.class", "javac src/A.java"),
    ] {
        let policy = scene.denying(&[&format!("write({denied})")]);
        let decision = loosest(&policy, &scene.shell(line));
        assert!(asked(&decision), "{denied}: {line}: {decision:?}");
        // That one is protected anyway.
        if denied == ".envrc" {
            continue;
        }
        let other = scene.denying(&["write(other/**)", "write(src/other.js)"]);
        assert_eq!(loosest(&other, &scene.shell(line)).effect, Allow, "{line}");
    }
}

/// What makes nothing there, and what lies in the workspace with nothing denied, is as quiet as before. Attack 223.
#[test]
fn given_other_sources_and_outputs_then_what_makes_files_is_as_quiet_as_before() {
    let scene = scene();
    let here = scene.denying(&["write(/srv/**)", "write(other/**)", "read(~/.ssh/**)"]);
    let lines = BESIDE.iter().chain(OUTPUTS).map(|line| line.replace('@', "gen"));
    let lines: Vec<String> = lines.collect();
    let count = lines.len();
    held(&wrong(&scene, &here, lines, |decision| decision.effect == Allow), count, 60);
    // What is not known to be read alone may be written, and is no row here.
    let made = ["x.js", "x.c", "x.html", "*.class", "__pycache__/**", "x.css"];
    let denied: Vec<String> = made.iter().map(|name| format!("write(gen/{name})")).collect();
    let denied: Vec<&str> =
        denied.iter().map(String::as_str).chain(["write(./a.o)", "write(/srv/**)"]).collect();
    let policy = scene.denying(&denied);
    let lines = [
        "tsc --noEmit -p gen",
        "tsc -p gen --noEmit",
        "tsc --outDir out gen/x.ts",
        "tsc src/a.ts",
        "python3 -m py_compile src/a.py",
        "python3 -m compileall out",
        "gcc -o out/a src/a.c",
        "gcc -c -o out/a.o src/a.c",
        "gcc -fsyntax-only src/a.c",
        "gcc -c src/b.c",
        "javac -d out gen/A.java",
        "cython -o out/x.c gen/x.pyx",
        "asciidoctor -o out/x.html gen/x.adoc",
        "pandoc gen/x.md -o out/x",
        "unheard-of --output-format json gen/x",
        "unheard-of --timeout 9 gen/x",
        "unheard-of --without gen/x",
        "ffprobe gen/x.mp4",
        "ffmpeg -i gen/x.mp4 out/x.mp4",
        "bison -o out/x.c gen/x.y",
    ];
    held(&wrong(&scene, &policy, lines.map(str::to_owned), |decision| decision.effect == Allow), 20, 20);
}
