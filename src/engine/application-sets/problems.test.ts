import { expect, test } from 'vitest';
import { readApplicationSet } from '#base/model';
import { applicationSetProblems, applicationSetWarnings } from '#engine';

const objectOf = (spec: object, metadata: object = {}) => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'ApplicationSet',
  metadata: { name: 'set', ...metadata },
  spec: {
    generators: [{ list: { elements: [{ name: 'a' }] } }],
    template: { metadata: { name: '{{name}}' } },
    ...spec,
  },
});
const list = { list: { elements: [] } };
const matrix = (...generators: object[]) => ({ matrix: { generators } });
const at = 'spec.generators[0]';

test.each([
  ['a good set', {}, []],
  ['nothing to generate', { generators: [] }, ['spec.generators is empty']],
  [
    'a typing mistake',
    { generators: [{ lst: {} }] },
    [`${at} contains unrecognized generators: lst; there are list,`],
  ],
  ['two combinations inside each other', { generators: [matrix(list, matrix(list, list))] }, []],
  [
    'three combinations inside each other',
    { generators: [matrix(list, matrix(list, matrix(list, list)))] },
    [`${at}.matrix.generators[1].matrix.generators[1].matrix is nested too deeply`],
  ],
  [
    'one child',
    { generators: [matrix(list)] },
    [`${at}.matrix.generators has 1 generators, Matrix support only two`],
  ],
  [
    'two generators in a child',
    { generators: [matrix(list, { ...list, clusters: {} })] },
    [`${at}.matrix.generators[1] has list and clusters; a child of a combination has one`],
  ],
  [
    'a merge of one without keys',
    { generators: [{ merge: { generators: [list] } }] },
    [`${at}.merge.generators has 1 generators, Merge requires two or more`, `${at}.merge.mergeKeys is empty`],
  ],
  [
    'an unknown option',
    { goTemplate: true, goTemplateOptions: ['missingkey=eror'] },
    ['spec.goTemplateOptions[0]: unknown template option "missingkey=eror"; there are missingkey=default,'],
  ],
  [
    'an unknown policy',
    { syncPolicy: { applicationsSync: 'all' } },
    ['spec.syncPolicy.applicationsSync: unknown policy "all"'],
  ],
  [
    'a number in flat mode',
    { generators: [{ list: { elements: [{ n: 1 }] } }] },
    [`${at}.list: error parsing value as string`],
  ],
  ['git without paths', { generators: [{ git: { repoURL: 'https://r' } }] }, [`${at}.git selects nothing`]],
  [
    'a selector',
    { generators: [{ ...list, selector: { matchExpressions: [{ key: 'a', operator: 'Is' }] } }] },
    [`${at}.selector: "Is" is not a valid label selector operator`],
  ],
  [
    'a tag without an end',
    { template: { metadata: { name: '{{a}} {{' } } },
    ['spec.template.metadata.name: cannot find end tag'],
  ],
  [
    'a Go template',
    { goTemplate: true, template: { metadata: { name: '{{ if }}' } } },
    ['spec.template.metadata.name: template: '],
  ],
  [
    'a name without its dot',
    { goTemplate: true, templatePatch: '{{ nope }}', template: {} },
    [
      'spec.templatePatch: template: template:1: function "nope" not defined; a parameter is written {{ .nope }}',
    ],
  ],
  [
    'ignored differences',
    { ignoreApplicationDifferences: [{ jsonPointers: ['spec'] }] },
    ['spec.ignoreApplicationDifferences: ignoreApplicationDifferences: "spec" is no JSON pointer'],
  ],
  ['a field of another type', { goTemplate: 'yes' }, ['spec.goTemplate must be true or false']],
])('%s is admitted or rejected with the path (sources AS-4, AS-6, AST-4)', (_name, spec, expected) => {
  const found = applicationSetProblems(objectOf(spec));
  expect(found).toEqual(expected.map((text) => expect.stringContaining(text)));
});

test('another API group is named with the right one (sources §7)', () => {
  const [problem] = applicationSetProblems({ ...objectOf({}), apiVersion: 'argocd.io/v1alpha1' });
  expect(problem).toContain('write argoproj.io/v1alpha1');
});

const named = { metadata: { name: '{{name}}' } };
test.each([
  ['nothing', {}, []],
  [
    'a misspelt field',
    { generators: [{ list: { elements: [{ name: 'a' }], elementYaml: '[]' } }], synPolicy: {} },
    [
      'spec.generators[0].list.elementYaml is not a field and has no effect; did you mean elementsYaml?',
      'spec.synPolicy is not a field and has no effect; did you mean syncPolicy?',
    ],
  ],
  [
    'a field in the wrong place',
    {
      generators: [
        matrix(list, { git: { repoURL: 'r', paths: [], directories: [{ path: '*', glob: 'x' }] } }),
      ],
      template: { ...named, spec: { destination: { cluster: 'x' }, source: { repoURL: 'r', hlem: {} } } },
    },
    [
      `${at}.matrix.generators[1].git.paths is not a field and has no effect; there are`,
      `${at}.matrix.generators[1].git.directories[0].glob is not a field and has no effect; there are path, exclude`,
      'spec.template.spec.destination.cluster is not a field and has no effect; there are server, name, namespace',
      'spec.template.spec.source.hlem is not a field and has no effect; did you mean helm?',
    ],
  ],
  [
    'templatePatch in flat mode',
    { templatePatch: '{{name}}' },
    ['spec.templatePatch is documented for Go templates'],
  ],
  [
    'the case of a strategy',
    { strategy: { type: 'rollingSync' } },
    ['spec.strategy.type "rollingSync" is unknown'],
  ],
  [
    'steps without the type',
    { strategy: { rollingSync: { steps: [] } } },
    ['spec.strategy.rollingSync has no effect'],
  ],
  [
    'an order of deletion',
    { strategy: { deletionOrder: 'Backwards' } },
    ['spec.strategy.deletionOrder "Backwards"'],
  ],
  ['nested selectors', { applyNestedSelectors: true }, ['spec.applyNestedSelectors has no effect']],
  [
    'a namespace',
    { template: { metadata: { ...named.metadata, namespace: 'x' } } },
    ['spec.template.metadata.namespace has no effect'],
  ],
  [
    'a sync option that does not exist',
    { template: { ...named, spec: { syncPolicy: { syncOptions: ['IgnoreMissingTemplate=true'] } } } },
    ['unknown sync option IgnoreMissingTemplate=true'],
  ],
  [
    'a parameter that is never referenced',
    {
      generators: [
        {
          list: {
            elements: [
              { name: 'a', syncPolicy: 'automated' },
              { name: 'b', syncPolicy: 'manual' },
            ],
          },
        },
      ],
    },
    ['spec.generators[0].list.elements[0].syncPolicy is never referenced'],
  ],
  [
    'values of a generator',
    {
      generators: [{ clusters: { values: { used: '1', idle: '2' } } }],
      template: { metadata: { name: '{{name}}-{{values.used}}' } },
    },
    ['spec.generators[0].clusters.values.idle is never referenced'],
  ],
  [
    'a template of a child',
    { generators: [matrix(list, { list: { elements: [], template: named } })] },
    ['spec.generators[0]: the template of a child generator has no effect'],
  ],
  [
    'files beside directories',
    { generators: [{ git: { repoURL: 'https://r', directories: [{ path: '*' }], files: [{ path: '*' }] } }] },
    ['spec.generators[0].git has directories and files'],
  ],
])('%s is warned of by its path (sources §7, AST-11)', (_name, spec, expected) => {
  const found = applicationSetWarnings(readApplicationSet(objectOf(spec)));
  expect(found).toEqual(expected.map((text) => expect.stringContaining(text)));
});

test('a Go template that uses all parameters references each of them', () => {
  const spec = { goTemplate: true, template: { metadata: { name: 'x', labels: { all: '{{ toYaml . }}' } } } };
  expect(applicationSetWarnings(readApplicationSet(objectOf(spec)))).toEqual([]);
});

test('tags that stay as text are named with the parameter sets that lack them (DEV-13, ASC-6)', () => {
  const template = {
    metadata: { name: '{{name}}-{{metadata.labels.env}}', labels: { h: '{{ .Values.x }} {{nmae}}' } },
  };
  const set = readApplicationSet(objectOf({ generators: [{ clusters: {} }], template }));
  const sets = [{ name: 'a', 'metadata.labels.env': 'dev' }, { name: 'b' }];
  expect(applicationSetWarnings(set, sets)).toEqual([
    'spec.template.metadata.name: {{metadata.labels.env}} stays as text: 1 of 2 parameter sets lack it',
    'spec.template.metadata.labels.h: {{nmae}} stays as text: no parameter set has it',
  ]);
});

test('a share of deletions that cannot be read is warned of', () => {
  const metadata = { annotations: { 'fairlead.io/max-delete-percent': '120' } };
  expect(applicationSetWarnings(readApplicationSet(objectOf({}, metadata)))).toEqual([
    expect.stringContaining('fairlead.io/max-delete-percent is "120" and blocks every deletion'),
  ]);
});
