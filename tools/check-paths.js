// Fails for a path that a document names and the repository does not have, and for an identifier of docs/architecture.md that no source
// has: documents cannot promise what is gone. Contracts speak of other programs and are left out.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';

const documents = readdirSync('docs', { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.md') && !file.startsWith('contract/'))
  .map((file) => `docs/${file}`);
const checked = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...documents.sort()];
const files = new Set(
  ['src', 'ui/src', 'test', 'tools', 'docs', 'bench', 'examples', 'deploy'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`),
  ),
);
const names = new Set([...files].map((file) => basename(file)));

/** A path as documents write it: from the root, from src/, with braces for several, or the bare name of one file. */
function exists(path) {
  const braces = /^(.*)\{([^{}]*)\}(.*)$/.exec(path);
  if (braces) return braces[2].split(',').every((part) => exists(`${braces[1]}${part}${braces[3]}`));
  if (/[<>*…]/.test(path)) return true; // a pattern
  const bare = path.replace(/\/$/, '');
  return (
    existsSync(bare) ||
    existsSync(`src/${bare}`) ||
    (!bare.includes('/') && names.has(bare)) ||
    endsWith(bare)
  );
}
const endsWith = (path) => [...files].some((file) => file.endsWith(`/${path}`));

const spans =
  /`([^`\n]+)`|\]\(([^)#\s]+)\)|\b((?:src|control|sources|engine|serve|kubernetes|application|client|live|ui)\/[\w./-]+\.tsx?)\b/g;
const isPath = (text) =>
  // a bare YAML file is one of the user's
  /^(?:src|ui|test|tools|docs|bench|examples|deploy|\.ci)\/[\w{},.<>*…/-]*$|^[\w-]+(?:\/[\w-]+)*\.(?:tsx?|js|md)$/.test(
    text,
  );

let missing = 0;
for (const document of checked) {
  readFileSync(document, 'utf8')
    .split('\n')
    .forEach((line, index) => {
      for (const [, code, link, path] of line.matchAll(spans)) {
        const text =
          code ??
          path ??
          (link && !/^[a-z]+:/.test(link) ? new URL(link, `file:///${document}`).pathname.slice(1) : '');
        if (!isPath(text) || exists(text)) continue;
        missing++;
        console.error(`${document}:${index + 1} names ${text}, which does not exist`);
      }
    });
}
const architecture = 'docs/architecture.md';
const sources = [...files].filter((file) => /^(?:src|ui|tools)\/.*\.(?:tsx?|js)$/.test(file));
const code = [...sources, 'package.json'].map((file) => readFileSync(file, 'utf8')).join('\n');
const known = new Set(code.match(/[\w$]+(?:-[\w$]+)*/g));

/** Names in code, as `FileTree`, `fairlead-pushes` or `ctx.signal`; what has a slash is a path, a room or a command. */
readFileSync(architecture, 'utf8')
  .split('\n')
  .forEach((line, index) => {
    for (const [, name] of line.matchAll(/`#?([\w$-]+(?:\.[\w$]+)*)(?:\(\))?`/g)) {
      if (isPath(name) || name.split('.').every((part) => known.has(part) || existsSync(`src/${part}`)))
        continue;
      missing++;
      console.error(`${architecture}:${index + 1} names ${name}, which no source has`);
    }
  });
if (missing > 0) process.exit(1);
console.log(`every path in ${checked.length} documents exists, and every identifier of ${architecture}`);
