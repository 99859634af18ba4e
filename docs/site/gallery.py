"""Pages of the gallery: each built-in model with its picture, what it shows, its numbers and its source."""

import html
import json
import pathlib
import re
import subprocess

# Pictures are taken at this part of a run, where mechanisms are not in line as they often are at the start.
AT = 0.13
PORT = 8080  # of links that open a model in the workbench


def facts(program, name, is_servo, cache):
    """What check and run say of a model, and the report for its picture; models with servo outputs follow them."""
    kept = cache / "facts.json"
    if not kept.is_file():
        cache.mkdir(parents=True, exist_ok=True)
        check = subprocess.run([program, "check", name, "--json"], capture_output=True, text=True)
        options = [name, "--samples", "201", "--out", cache / "run", "--json", "--quiet"]
        for command in ["inverse", "run"] if is_servo else ["run"]:
            run = subprocess.run([program, command, *options], capture_output=True, text=True)
            if run.returncode == 0:
                break
        found = {"check": json.loads(check.stdout) if check.returncode == 0 else None,
                 "run": json.loads(run.stdout) if run.returncode == 0 else None}
        kept.write_text(json.dumps(found), encoding="utf-8")
    return json.loads(kept.read_text(encoding="utf-8"))


def page(entry, found, has_picture):
    name, source = entry["name"], pathlib.Path(entry["file"]).read_text(encoding="utf-8")
    comment = " ".join(line.lstrip("# ").strip() for line in re.match(r"(#.*\n)*", source)[0].splitlines())
    lines = [f"# {name}", "", entry["description"][0].upper() + entry["description"][1:] + ".", ""]
    if has_picture:
        lines += [f"![{name}](pictures/{name}.png)", ""]
    if comment:
        lines += [comment.replace("[", "\\[").replace("*", "\\*").replace("_", "\\_").replace("$", "\\$"), ""]
    run, check = found["run"], found["check"]
    rows = []
    if check:
        rows += [("degrees of freedom", check["dof"]), ("index", check["index"])]
    if run and "formulation" in run:
        rows += [("method chosen", f"{run['coordinates']} coordinates, {run['formulation']}, {run['integrator']}"),
                 ("simulated", f"{run['end']:g} s in {run['steps']} steps")]
    if rows:
        lines += ["| | |", "| --- | --- |", *(f"| {key} | {value} |" for key, value in rows), ""]
    lines += ["```sh", f"koppel play {name}     # in the browser, to be taken hold of", f"koppel run {name}", "```", "",
              f"[Open it in the workbench](http://127.0.0.1:{PORT}/#{name}), while `koppel play --port {PORT}` runs.", "",
              "## Model file", "", "```yaml", source.rstrip(), "```", ""]
    return "\n".join(lines)


def pages(program, key, work, shots):
    entries = json.loads(subprocess.run([program, "models", "--json"], capture_output=True, text=True, check=True).stdout)
    texts, cards = {}, []
    for entry in entries:
        name = entry["name"]
        cache = work / "gallery" / f"{name}-{key}"
        source = pathlib.Path(entry["file"]).read_text(encoding="utf-8")
        found = facts(program, name, "\nservo:" in source, cache)
        picture = work / "docs/gallery/pictures" / f"{name}.png"
        report = cache / "run/report.html"
        has_picture = report.is_file()
        if has_picture:
            if picture.is_file() and picture.stat().st_mtime < report.stat().st_mtime:
                picture.unlink()
            shots.append({"page": str(report), "out": str(picture), "width": 640, "height": 900, "at": AT, "of": ".stage canvas"})
        texts[pathlib.Path("gallery", f"{name}.md")] = page(entry, found, has_picture)
        image = f'<img src="../_images/{name}.png" alt="" loading="lazy">' if has_picture else ""
        cards.append(f'<a href="{name}.html">{image}<span><b>{name}</b>{html.escape(entry["description"])}</span></a>')
    texts[pathlib.Path("gallery/index.md")] = "\n".join([
        "# Gallery", "", f"The {len(entries)} built-in models. `koppel play NAME` opens one in the workbench, `koppel run NAME` "
        "simulates it, and `koppel new FILE --like NAME` copies it as a start for your own.", "",
        '<div class="gallery">', *cards, "</div>", "", "```{toctree}", ":hidden:", "",
        *(entry["name"] for entry in entries), "```", ""])
    return texts
