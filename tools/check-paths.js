// Fails for a path that a document names and the repository does not have: documents cannot promise files that are gone.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';

const checked = [
  'README.md',
  'CONTRIBUTING.md',
  'docs/architecture.md',
  'docs/testing.md',
  'docs/glossary.md',
];
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
  /^(?:src|ui|test|tools|docs|bench|examples|deploy|\.ci)\/[\w{},.<>*…/-]*$|^[\w-]+(?:\/[\w-]+)*\.(?:tsx?|js|md|yaml)$/.test(
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
if (missing > 0) process.exit(1);
console.log(`every path in ${checked.length} documents exists`);
