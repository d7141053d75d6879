// Compares recorded answers with those of the originals, and records them again: node tools/oracles/record.js [name] [--write].
// Those of Kubernetes and of Argo CD are Go modules of their own, in kubernetes/ and argocd/. A fixture holds questions and answers, a case per line (two in
// Jsonnet's). This program sends the questions to the Go program beside it and prints the answers that differ; --write replaces their
// lines. A new case is written with any answer and then recorded.
// To adopt a new version of an original, change go.mod, run it, and read the difference.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { load, loadAll } from 'js-yaml';

const root = new URL('../../', import.meta.url);
const lang = (name) => new URL(`src/lang/${name}/testdata/`, root);
const read = (url) => readFileSync(url, 'utf8');

function answersOf(oracle, questions, module = './', words = []) {
  const input = typeof questions === 'string' ? questions : JSON.stringify(questions);
  const cwd = new URL(module, import.meta.url);
  return execFileSync('go', ['run', `./${oracle}`, ...words], {
    cwd,
    input,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
}

const ordered = (value) =>
  Array.isArray(value)
    ? value.map(ordered)
    : value && typeof value === 'object'
      ? Object.fromEntries(
          Object.keys(value)
            .sort()
            .map((key) => [key, ordered(value[key])]),
        )
      : value;

/** One line of a jq fixture ends its case; a case is [expression, out, error?] or [input, expression, out, error?]. */
function jqCases(text) {
  const lines = text.split('\n');
  let input;
  return lines.flatMap((line, index) => {
    const group = /^\{"input":(.*),"cases":\[$/.exec(line);
    if (group) input = group[1];
    const body = line.replace(/,$/, '');
    if (!/^\[.*\]$/.test(body)) return [];
    const parts = JSON.parse(body);
    return typeof parts[0] === 'string' && Array.isArray(parts[1])
      ? [{ line: index, input, question: parts[0], answer: parts.slice(1), named: [] }]
      : [
          {
            line: index,
            input: JSON.stringify(parts[0]),
            question: parts[1],
            answer: parts.slice(2),
            named: [parts[0]],
          },
        ];
  });
}

/** A line of a fixture of templates is a case, [template, out] or [template, null, error], or begins a group of them. */
function templateCases(text) {
  let group = {};
  return text.split('\n').flatMap((line, index) => {
    if (line.startsWith('{"data"')) group = JSON.parse(`${line}]}`);
    const body = line.replace(/,$/, '');
    if (!/^\[.*\]$/.test(body)) return [];
    const [question, ...answer] = JSON.parse(body);
    return [{ line: index, data: group.data, options: group.options, question, answer }];
  });
}

const patchFolders = {
  json: 'src/kubernetes/patch/testdata/json-patch/',
  merge: 'src/kubernetes/patch/testdata/merge-patch/',
  'three-way': 'src/kubernetes/patch/testdata/three-way/',
  'strategic-apply': 'src/kubernetes/patch/strategic/testdata/apply/',
  'strategic-create': 'src/kubernetes/patch/strategic/testdata/create/',
  'strategic-three-way': 'src/kubernetes/patch/strategic/testdata/three-way/',
};

const drawn = '// Generated from the Go types of Argo CD 3.5.6; not edited by hand.';
const argocdFiles = {
  table: {
    path: 'src/serve/grpc/facts/messages.ts',
    text: (lines) =>
      `${drawn} notation.ts says how to read it.\n/** The messages of its API, one line each. */\nexport const messageLines = \`${lines}\n\`;\n`,
  },
  services: {
    path: 'src/serve/grpc/facts/services.ts',
    text: (lines) =>
      `${drawn} ../services.ts says how to read it.\n/** The methods of its API, one line each. */\nexport const methodLines = \`${lines}\n\`;\n`,
  },
  golden: {
    path: 'src/serve/grpc/testdata/argocd-3.5.6.json',
    text: (lines) => `[\n${lines.replace(/,$/, '')}\n]\n`,
  },
};

const oracles = {
  jq: () =>
    ['gojq.json', 'gojq-random.json'].flatMap((name) => {
      const url = new URL(name, lang('jq'));
      const cases = jqCases(read(url));
      const questions = `[${cases.map(({ input, question }) => `[${input},${JSON.stringify(question)}]`).join(',')}]`;
      const answers = JSON.parse(answersOf('jq', questions));
      return cases.map(({ line, question, answer, named }, i) => ({
        url,
        line,
        question,
        recorded: ordered({ out: answer[0], error: answer[1] }),
        original: ordered({ out: answers[i].out, error: answers[i].error }),
        print: ({ out, error }) => `${JSON.stringify([...named, question, out, ...(error ? [error] : [])])},`,
      }));
    }),

  gotemplate: () =>
    readdirSync(lang('go-template'))
      .filter((name) => name.endsWith('.json'))
      .flatMap((name) => {
        const url = new URL(name, lang('go-template'));
        const cases = templateCases(read(url));
        const questions = cases.map(({ data, options, question }) => [data, question, ...options]);
        const answers = JSON.parse(answersOf('gotemplate', questions));
        return cases.map(({ line, question, answer }, i) => ({
          url,
          line,
          question,
          recorded: answer,
          original: answers[i].error === undefined ? [answers[i].out] : [null, answers[i].error],
          print: (original) => `${JSON.stringify([question, ...original])},`,
        }));
      }),

  expr: () =>
    readdirSync(lang('expr')).flatMap((name) => {
      const url = new URL(name, lang('expr'));
      const { environment, cases } = JSON.parse(read(url));
      const answers = JSON.parse(
        answersOf(
          'expr',
          cases.map(([question]) => [environment, question]),
        ),
      );
      return cases.map(([question, ...answer], i) => ({
        url,
        line: i + 1,
        question,
        recorded: ordered(answer),
        original: ordered(answers[i].error === undefined ? [answers[i].out] : [null, 'fails']),
        print: (original) => `${JSON.stringify([question, ...original])},`,
      }));
    }),

  regexp: () => {
    const url = new URL('go-regexp.json', lang('regex'));
    const recorded = JSON.parse(read(url));
    const answers = JSON.parse(answersOf('regexp', recorded));
    return recorded.map(({ pattern, text = '', template, ...answer }, i) => ({
      url,
      line: i + 1,
      question: `${JSON.stringify(pattern)} on ${JSON.stringify(text)} by ${JSON.stringify(template)}`,
      recorded: answer.refused ? { refused: true } : withoutEmpty(answer),
      original: answers[i].refused ? { refused: true } : withoutEmpty(answers[i]),
      print: (answer) => `${JSON.stringify({ pattern, ...(text && { text }), template, ...answer })},`,
    }));
  },

  jsonnet: () =>
    readdirSync(lang('jsonnet')).flatMap((name) => {
      const url = new URL(name, lang('jsonnet'));
      const probes = load(read(url));
      const lines = read(url).split('\n');
      const at = lines.flatMap((line, index) => (line.startsWith('- program:') ? [index + 1] : []));
      const answers = JSON.parse(
        answersOf(
          'jsonnet',
          probes.map(({ program }) => program),
        ),
      );
      const value = ({ result, fails }) => (fails ? { fails } : { result: JSON.parse(result) });
      return probes.map((probe, i) => ({
        url,
        line: at[i],
        question: probe.program,
        recorded: value(probe),
        original: value(answers[i]),
        print: () =>
          answers[i].fails ? '  fails: true' : `  result: '${answers[i].result.replaceAll("'", "''")}'`,
      }));
    }),

  slug: () => {
    const url = new URL('src/engine/application-sets/parameters/testdata/go-slug.json', root);
    const recorded = JSON.parse(read(url));
    const questions = recorded.map(([text]) => text);
    const answers = JSON.parse(answersOf('slug', questions));
    return recorded.map(([question, slug], i) => ({
      url,
      line: i + 1,
      question,
      recorded: slug,
      original: answers[i],
      print: (answer) => `${JSON.stringify([question, answer])},`,
    }));
  },

  schema: () => {
    const folder = new URL('src/kubernetes/schema/facts/', root);
    const tables = ['access', 'core', 'extension', 'meta', 'network', 'storage', 'workloads'];
    let home;
    const recorded = tables.flatMap((name) => {
      const url = new URL(`${name}.ts`, folder);
      return read(url)
        .split('\n')
        .flatMap((text, line) => {
          const row = text.replace(/^export const \w+ = `/, '');
          home =
            /^# (\S+)$/.exec(row)?.[1] ?? (row.startsWith('/') || row.startsWith('`') ? undefined : home);
          const type = /^([A-Z]\w*)(?:@\.)? /.exec(row)?.[1];
          // core.v1.List is another name of a struct of meta.v1
          return home && type && `${home}.${type}` !== 'core.v1.List' ? [{ url, line, home, type, row }] : [];
        });
    });
    const homes = [...new Set(recorded.map((one) => one.home))];
    const originals = new Map();
    for (const row of answersOf('schema', homes, './kubernetes/').split('\n')) {
      home = /^# (\S+)$/.exec(row)?.[1] ?? home;
      originals.set(`${home} ${row.split(/[ @]/)[0]}`, row);
    }
    return recorded.map(({ url, line, type, row, ...one }) => ({
      url,
      line,
      question: `${one.home}.${type}`,
      recorded: row,
      original: originals.get(`${one.home} ${type}`) ?? 'there is no such type',
      print: (original) => original,
    }));
  },

  // ours words its errors differently, so of an error only its existence is compared; a case is written by hand
  patch: () => {
    const cases = Object.entries(patchFolders).flatMap(([way, folder]) =>
      readdirSync(new URL(folder, root)).map((name) => {
        const url = new URL(`${folder}${name}`, root);
        const [first, second, ...rest] = loadAll(read(url));
        const { expect } = rest[0] ?? second;
        const asked = rest[0] ? { target: first, patch: second.patch } : first;
        return { url, way, expect, asked: { way, ...asked } };
      }),
    );
    const answers = JSON.parse(
      answersOf(
        'patch',
        cases.map(({ asked }) => asked),
        './kubernetes/',
      ),
    );
    const bare = ({ failed, error, ...answer }) => (failed || error ? { failed: true } : answer);
    return cases.map(({ url, way, expect }, i) => ({
      url,
      line: 0,
      question: way,
      recorded: bare(way === 'merge' ? { result: expect } : expect),
      original: bare(answers[i]),
    }));
  },

  cel: () => {
    const url = new URL('src/embedded/cel/testdata/kubernetes-1.36.json', root);
    const lines = read(url).split('\n');
    const first = lines.indexOf('"answers": [') + 1;
    const recorded = lines
      .slice(first, lines.indexOf('],', first))
      .map((line) => JSON.parse(line.replace(/,$/, '')));
    // as text: a number of the schema or of self may be beyond those of JavaScript
    const part = (name) => lines.find((line) => line.startsWith(`"${name}": `)).slice(name.length + 4, -1);
    const expressions = JSON.stringify(recorded.map(({ expr }) => expr));
    const asked = `{"schema": ${part('schema')}, "self": ${part('self')}, "expressions": ${expressions}}`;
    const answers = JSON.parse(answersOf('cel', asked, './kubernetes/'));
    return recorded.map((answer, i) => ({
      url,
      line: first + i,
      question: answer.expr,
      recorded: answer,
      // a cost that depends on the order of a map differs from run to run, and is not recorded
      original: 'cost' in answer ? answers[i] : { ...answers[i], cost: undefined },
      print: (original) => `${JSON.stringify(original)},`,
    }));
  },

  // whole files: the messages and methods of the API, and messages as bytes
  argocd: () =>
    Object.entries(argocdFiles).map(([name, { path, text }]) => {
      const url = new URL(path, root);
      const original = text(answersOf('messages', '', './argocd/', [name]).trimEnd());
      const recorded = existsSync(url) ? read(url) : '';
      const [before, after] = [recorded.split('\n'), original.split('\n')];
      const missing = (lines, other) => lines.filter((line) => !other.includes(line)).slice(0, 10);
      return {
        url,
        line: 0,
        question: name,
        recorded: missing(before, after),
        original: missing(after, before),
        whole: original,
        print: () => original,
      };
    }),

  cron: () =>
    ['robfig.yaml', 'robfig-jobs.yaml'].flatMap((name) => {
      const url = new URL(name, lang('cron'));
      const text = read(url);
      const starts = text.split('\n')[0].match(/\d{4}-\d\d-\d\dT[\d:]+Z/g);
      const table = load(text);
      const questions = table.map((row) => row.slice(0, -1));
      const isJobs = name === 'robfig-jobs.yaml';
      const asked = isJobs ? { jobs: questions } : { schedules: questions.map(([schedule]) => schedule) };
      const answers = JSON.parse(answersOf('cron', { starts, ...asked }));
      return table.map((row, i) => ({
        url,
        line: i + 1,
        question: JSON.stringify(questions[i]),
        recorded: row.at(-1),
        original: answers[i],
        print: (ticks) =>
          `- [${[...questions[i], ticks].map((word) => (word === 'refused' ? word : JSON.stringify(word))).join(', ')}]`,
      }));
    }),
};

const withoutEmpty = (answer) =>
  Object.fromEntries(
    Object.entries(answer).filter(([, value]) => !(Array.isArray(value) && value.length === 0)),
  );

const wanted = process.argv.slice(2).filter((word) => !word.startsWith('--'));
let different = 0;
for (const [name, run] of Object.entries(oracles)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const results = run();
  const differing = results.filter(
    ({ recorded, original }) => !isDeepStrictEqual(normal(recorded), normal(original)),
  );
  for (const { url, line, question, recorded, original } of differing.slice(0, 20))
    console.error(
      `${url.pathname}:${line + 1}: ${question}\n  recorded ${JSON.stringify(recorded)}\n  original ${JSON.stringify(original)}`,
    );
  if (process.argv.includes('--write')) differing.filter(({ print }) => print).forEach(write);
  different += differing.length;
  console.log(`${name}: ${results.length} answers, ${differing.length} differ`);
}
process.exit(different > 0 ? 1 : 0);

function write({ url, line, original, print, whole }) {
  if (whole) return writeFileSync(url, whole);
  const lines = read(url).split('\n');
  const isLast = /^\]/.test(lines[line + 1] ?? ''); // of a JSON list, whose last item has no comma
  lines[line] = isLast ? print(original).replace(/,$/, '') : print(original);
  writeFileSync(url, lines.join('\n'));
}

function normal(value) {
  return ordered(JSON.parse(JSON.stringify(value)));
}
