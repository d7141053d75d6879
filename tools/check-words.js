// docs/glossary.md, as a check: fails for words of the old dialect in comments, in texts that people read and in documents, for a file
// named after a metaphor, for an exported type that is declared twice, and for a rule that is cited without its document.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { unnamedCitations } from './words/citations.js';
import { badIdentifiers } from './words/identifiers.js';
import { lineOf, textsOf } from './words/texts.js';

/** What to say instead, by what is not said. */
const words = [
  [/\banew\b/i, 'again, recreate'],
  [/\b(?:whoever|nobody|somebody|everybody)\b/i, 'name the actor: the controller, the cluster, the user'],
  [/\b(?:tell|tells|telling|told)\b/i, 'report, notify, record'],
  [/\b(?:ask|asks|asked|asking)\b/i, 'request, query, list, fetch'],
  [
    /\b(?:looks?|looked|looking) (?:at|again)\b|\b(?:a|the|each|every|one|next|last) look\b/i,
    'reconcile, refresh, compare, read',
  ],
  [/\b(?:shelf|shelves)\b/i, 'cache, store, table'],
  [/\b(?:hiccups?|setbacks?|unhurried|heft|waiting room)\b/i, 'transient error, back off, size, queue'],
  [/\b(?:remembers?|remembered)\b/i, 'cache, keep, record'],
  [/\b(?:cleared away|clear away|made anew|make anew)\b/i, 'evict, expire, recreate'],
  [/\bin (?:its|their|his) turn\b|\bwhose turn\b/i, 'queue, concurrency limit, leader'],
  [/\b(?:is|are|was|were) away\b/i, 'unavailable, unreachable'],
  [/\bsurroundings\b/i, 'environment, dependencies, context'],
];

const badNames =
  /^(?:agenda|anew|carry-out|chance|chores?|complaints?|consultation|conversations?|culprit|deed|fitting|graft|inside|kept|knowledge|news|nowhere|quiet|standstill|stretches|heft|in-its-turn|in-line|patience|setbacks?|surroundings|turns?|unhurried|tidy|take|wake|world|look|place|shelf|shelves|waiting-room|seats?|elsewhere|given|told|tell|asked|remembered|happening|nobody|whose)(?:\.test)?\.tsx?$/;

const isTest = (file) => /\.test\.tsx?$/.test(file);
const sources = ['src', 'ui/src'].flatMap((root) =>
  readdirSync(root, { recursive: true, encoding: 'utf8' })
    .map((file) => `${root}/${file}`)
    .filter((file) => /\.tsx?$/.test(file)),
);

function namesIn(file) {
  const source = readFileSync(file, 'utf8');
  return badIdentifiers(file, source).map(
    ({ name, at }) => `${file}:${lineOf(source, at)}: the name ${name}: use a word of docs/glossary.md`,
  );
}

/** Documents and the descriptions of our kinds, which `kubectl explain` shows; contracts are quoted as they were given. */
const documents = [
  ...['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md'].filter((file) => existsSync(file)),
  ...['docs', 'tools/definitions', 'deploy', 'examples']
    .filter((folder) => existsSync(folder))
    .flatMap(textFiles),
];

function textFiles(folder) {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((file) => `${folder}/${file}`)
    .filter((file) => /\.(?:md|ya?ml)$/.test(file) && !/^docs\/contract\//.test(file));
}

function dialectInDocument(file) {
  // the glossary's tables show what is not said
  const isShown = (line) => file === 'docs/glossary.md' && line.startsWith('|');
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line, index) =>
      (isShown(line) ? [] : words).flatMap(([pattern, instead]) => {
        const match = pattern.exec(line);
        return match ? [`${file}:${index + 1}: prose: "${match[0]}": say ${instead}`] : [];
      }),
    );
}

function citationsIn(file) {
  const source = readFileSync(file, 'utf8');
  if (!/\b[A-Z]{1,4}-\d+\b|§|\b(?:compat|dev)\b/.test(source)) return [];
  return textsOf(file, source)
    .filter(({ kind }) => kind === 'comments')
    .flatMap(({ text, at }) =>
      unnamedCitations(text).map(
        ({ index, text: cited, instead }) =>
          `${file}:${lineOf(source, at + index)}: citation: "${cited}": say ${instead}`,
      ),
    );
}

function dialectIn(file) {
  const source = readFileSync(file, 'utf8');
  // most files have none of the words anywhere; only the others are parsed
  if (!words.some(([pattern]) => pattern.test(source))) return [];
  const found = [];
  for (const { kind, text, at } of textsOf(file, source)) {
    for (const [pattern, instead] of words) {
      const match = pattern.exec(text);
      if (match)
        found.push(`${file}:${lineOf(source, at + match.index)}: ${kind}: "${match[0]}": say ${instead}`);
    }
  }
  return found;
}

function declaredTwice() {
  const files = new Map();
  for (const file of sources.filter((one) => !isTest(one))) {
    for (const [, name] of readFileSync(file, 'utf8').matchAll(
      /^export (?:declare )?(?:abstract )?(?:type|interface|class) (\w+)/gm,
    ))
      files.set(name, [...(files.get(name) ?? []), file]);
  }
  return [...files]
    .filter(([, where]) => where.length > 1)
    .map(
      ([name, where]) => `${name} is declared in ${where.join(' and ')}: one exported type name, one meaning`,
    );
}

const findings = [
  ...sources.filter((file) => !isTest(file)).flatMap(dialectIn),
  ...sources.filter((file) => !isTest(file)).flatMap(citationsIn),
  ...documents.flatMap(dialectInDocument),
  ...sources
    .filter((file) => badNames.test(basename(file)))
    .map((file) => `${file}: name a file after the thing or the action in it`),
  ...sources.filter((file) => !isTest(file)).flatMap(namesIn),
  ...declaredTwice(),
];
for (const finding of findings) console.error(finding);
if (findings.length > 0) process.exit(1);
console.log(`plain words in ${sources.length + documents.length} files`);
