// A rule of a contract is cited with its document: `compat engine S-20`, `cluster 5.2`. Four contracts have a section 5.2.
import { existsSync, readdirSync, readFileSync } from 'node:fs';

const folder = 'docs/contract';
const nameOf = (file) => file.replace(/\.md$/, '').replace('embedded-cluster', 'cluster');

/** rule → the document that states it */
function statedRules() {
  const rules = new Map();
  for (const file of existsSync(folder) ? readdirSync(folder) : []) {
    const text = readFileSync(`${folder}/${file}`, 'utf8');
    for (const [, rule] of text.matchAll(/^(?:- |\| |#+ )?\**([A-Z]{1,4}-\d+)\b/gm))
      rules.set(rule, nameOf(file));
  }
  return rules;
}

const rules = statedRules();
const documents =
  [...new Set(existsSync(folder) ? readdirSync(folder).map(nameOf) : [])].join('|') || 'engine';

// what may stand between a document's name and the last rule of its list
const between =
  /(?:[A-Z]{1,4}-\d+[a-z]?|§?[\d.]+|\b(?:step|steps|point|points|row|vector|and|to|or|of|the|table)\b|[,;/…–]|\s|\*)*$/;
const listOf = new RegExp(`\\b(${documents})\\b(?:\\.md)?${between.source}`);
const bareSection = new RegExp(`\\b(?:compat|dev):? (?!(?:${documents})\\b)§?\\d+\\.\\d|\\(§\\d+\\.\\d`);

/** The citations of one comment that name no document, or another one than states the rule. */
export function unnamedCitations(comment) {
  const found = [...comment.matchAll(/\b[A-Z]{1,4}-\d+\b/g)].flatMap(({ 0: rule, index }) => {
    const document = rules.get(rule);
    if (!document || listOf.exec(comment.slice(0, index))?.[1] === document) return [];
    return [{ index, text: rule, instead: `${document} ${rule}` }];
  });
  const section = bareSection.exec(comment);
  return section
    ? [...found, { index: section.index, text: section[0], instead: 'the document before the section' }]
    : found;
}
