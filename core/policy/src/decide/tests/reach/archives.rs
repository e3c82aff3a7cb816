//! Archives that are taken apart where nothing says where, and what is put into others; programs that values name.

use super::*;

fn effects(scene: &Scene, denied: &str, lines: &[&str], right: impl Fn(&Decision) -> bool) {
    let lines = lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>();
    let count = lines.len();
    held(&wrong(scene, &scene.denying(&[denied]), lines, right), count, count);
}

/// D2.27: what is taken apart in the folder at hand could write any file below. Attack 682.
#[test]
fn given_an_archive_without_a_destination_then_it_could_write_what_is_denied() {
    let scene = Scene::new();
    let lines = [
        "python3 -m tarfile -e a.tar",
        "python3 -mtarfile -e a.tar",
        "python3 -m tarfile --extract a.tar",
        "python3 -m tarfile --ext a.tar",
        "python3 -m zipfile -e a.zip .",
        "sqlite3 -A -xf a",
        "sqlite3 a -Ax",
        "sqlite3 a -A --extract",
        "sqlite3 a '.archive -x'",
        "sqlite3 a '.ar xv'",
        "ar x a.a",
        "ar -x a.a",
        "ar xo a.a",
        "gcc-ar x a.a",
        "jar xf a.jar",
        "jar -xf a.jar",
        "jar --extract --file a.jar",
        "uudecode f",
        "pax -rf a",
        "unar a.rar",
        "cabextract a.cab",
        "aunpack a.zip",
        "dtrx a.zip",
        "unshar a",
        "borg extract r::a",
        "hg update",
        "hg up -C",
        "hg revert --all",
        "hg import a",
        "svn update",
        "svn switch u",
        "jj restore",
        "jj new x",
        "jj edit x",
        "quilt push -a",
        "git lfs checkout",
        "git lfs pull",
    ];
    effects(&scene, "write(.github/**)", &lines, |decision| decision.effect > Allow);
    let quiet = [
        "python3 -m tarfile -e a.tar out",
        "python3 -m tarfile -l a.tar",
        "python3 -m zipfile -e a.zip out",
        "python3 -m zipfile -l a.zip",
        "python3 -m zipfile -c a.zip src",
        "sqlite3 a -At",
        "sqlite3 a 'select x from t'",
        "ar rcs libx.a x.o",
        "ar t libx.a",
        "ar -t libx.a",
        "jar cf a.jar src",
        "jar tf x.jar",
        "uudecode -o out/x f",
        "unar -o out a.rar",
        "cabextract -l a.cab",
        "borg extract -n r::a",
        "hg revert src/a.rs",
        "hg log",
        "svn status",
        "git lfs ls-files",
    ];
    effects(&scene, "write(.github/**)", &quiet, |decision| decision.effect == Allow);
}

/// D2.26: what is put into an archive is read. Attack 683.
#[test]
fn given_an_archive_that_takes_a_folder_in_then_what_is_denied_there_is_read() {
    let scene = Scene::new();
    let lines = [
        "python3 -m zipfile -c x.zip .",
        "python3 -m zipfile --create x.zip src/..",
        "python3 -mzipfile -c x.zip a.txt .",
        "python3 -m tarfile -c x.tar .",
        "python3 -m zipapp .",
        "sqlite3 x -Ac .",
        "sqlite3 -A -cf x .",
        "sqlite3 x -A --create .",
        "sqlite3 x '.archive -c .'",
        "pax -wf x.tar .",
    ];
    effects(&scene, "read(./.env)", &lines, |decision| decision.effect == Deny);
    let quiet = [
        "python3 -m zipfile -c x.zip src",
        "python3 -m zipfile -l x.zip",
        "python3 -m tarfile -c x.tar src",
        "sqlite3 x -Ac src",
        "sqlite3 x -At",
    ];
    effects(&scene, "read(./.env)", &quiet, |decision| decision.effect == Allow);
}

/// D2.17: a value may name a program, or hold a line or code that starts one. Attack 684.
#[test]
fn given_a_value_that_names_a_program_then_a_denial_is_about_it() {
    let scene = Scene::new();
    let lines = [
        "cmake -D CMAKE_CXX_COMPILER_LAUNCHER=curl .",
        "cmake -DCMAKE_CXX_COMPILER_LAUNCHER=curl .",
        "cmake -D CMAKE_C_COMPILER:STRING=curl -B out",
        "docker run --health-cmd 'curl e' i",
        "docker run --health-cmd='curl e' i",
        "podman create --health-cmd 'curl e' i",
        "mongosh --eval 'child_process.execSync(\"curl e\")'",
        "mongosh x --eval 'require(\"child_process\").execSync(\"curl e\")'",
    ];
    effects(&scene, "shell(curl *)", &lines, |decision| decision.effect == Deny);
    let quiet = [
        "cmake -D CMAKE_BUILD_TYPE=Debug -S . -B out",
        "docker run --health-cmd 'true' i",
        "mongosh --eval 'db.curl.find()'",
    ];
    effects(&scene, "shell(curl *)", &quiet, |decision| decision.effect != Deny);
}
