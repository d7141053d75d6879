// The map of the house. src/ has floors, a floor has rooms. A room may import only the rooms listed beside it, and each of those
// stands above it in this table: knowledge flows one way. The check also fails for a room that does not exist and for an import
// that is permitted here and used nowhere.

/** What each floor is for, from the bottom up. */
export const floors = {
  base: 'words that every room shares',
  lang: 'the small languages that users write',
  platform: 'the machine: programs, network, disk, cores',
  kubernetes: 'what the Kubernetes API is, and a client for it',
  engine: 'what GitOps decides, without doing it',
  sources: 'from a repository and a revision to rendered manifests',
  control: 'live state, comparison, queues, controllers',
  serve: 'what people and programs talk to',
  embedded: 'a cluster inside the process, for trying, rehearsing and tests',
};

export const rooms = {
  'base/std': [],
  'base/model': ['base/std'],

  'lang/yaml': ['base/std'],
  'lang/regex': ['base/std'],
  'lang/cron': ['base/std', 'base/model'],
  'lang/jsonnet': ['base/std'],
  'lang/lua': ['base/std'],
  'lang/jq': ['base/std', 'lang/regex'],
  'lang/go-template': ['base/std', 'lang/yaml', 'lang/regex'],
  'lang/expr': ['base/std', 'lang/regex', 'lang/go-template'],

  'platform/exec': ['base/std'],
  'platform/http': ['base/std'],
  'platform/certificates': [],
  'platform/store': ['base/std'],
  'platform/workers': ['base/std', 'lang/lua'],

  'kubernetes/schema': ['base/std', 'base/model'],
  'kubernetes/patch': ['base/std', 'base/model', 'kubernetes/schema'],
  'kubernetes/client': ['base/std', 'base/model', 'lang/yaml', 'platform/exec', 'platform/http'],

  engine: [
    'base/std',
    'base/model',
    'lang/yaml',
    'lang/regex',
    'lang/cron',
    'lang/jq',
    'lang/go-template',
    'kubernetes/schema',
    'kubernetes/patch',
  ],

  'engine/rollouts': ['base/std', 'base/model', 'kubernetes/schema'],

  'sources/repositories': ['base/std', 'base/model', 'lang/yaml', 'platform/exec', 'platform/http'],
  'sources/scm': ['base/std', 'base/model', 'lang/regex', 'sources/repositories'],
  'sources/render': ['base/std', 'base/model', 'lang/yaml', 'lang/jsonnet'],
  'sources/kustomize': ['base/std', 'base/model', 'lang/yaml', 'kubernetes/patch'],
  'sources/manifests': [
    'base/std',
    'base/model',
    'platform/exec',
    'platform/store',
    'platform/workers',
    'sources/repositories',
    'sources/render',
    'sources/kustomize',
  ],

  'control/live': ['base/std', 'base/model', 'lang/yaml', 'platform/workers', 'kubernetes/client', 'engine'],
  'control/scripts': ['base/std', 'base/model', 'platform/workers', 'engine'],
  'control/comparison': [
    'base/std',
    'base/model',
    'platform/workers',
    'engine',
    'sources/manifests',
    'control/live',
    'control/scripts',
  ],
  'control/generators': [
    'base/std',
    'base/model',
    'kubernetes/client',
    'engine',
    'sources/repositories',
    'sources/scm',
    'control/live',
  ],
  'control/runtime': ['base/std', 'base/model', 'kubernetes/client'],
  'control/controllers': [
    'base/std',
    'base/model',
    'platform/workers',
    'kubernetes/schema',
    'kubernetes/patch',
    'kubernetes/client',
    'engine',
    'control/live',
    'control/comparison',
    'control/generators',
    'control/runtime',
  ],

  'serve/api': ['base/std', 'base/model'],
  'serve/grpc': ['base/std'],
  'serve/metrics': ['base/std', 'base/model', 'platform/http', 'kubernetes/client'],
  'serve/oidc': ['base/std'],
  'serve/server': [
    'base/std',
    'base/model',
    'lang/regex',
    'lang/go-template',
    'lang/expr',
    'platform/http',
    'platform/certificates',
    'platform/workers',
    'kubernetes/patch',
    'kubernetes/client',
    'engine',
    'control/live',
    'control/comparison',
    'control/generators',
    'serve/api',
    'serve/grpc',
    'serve/oidc',
  ],
  'serve/cli': [
    'base/std',
    'base/model',
    'lang/yaml',
    'kubernetes/client',
    'engine',
    'sources/manifests',
    'serve/api',
    'serve/oidc',
  ],

  'embedded/cel': ['base/std', 'lang/regex'],
  'embedded/apiserver': [
    'base/std',
    'base/model',
    'lang/yaml',
    'lang/regex',
    'lang/cron',
    'platform/certificates',
    'platform/store',
    'kubernetes/schema',
    'kubernetes/patch',
    'embedded/cel',
  ],
  'embedded/controllers': [
    'base/std',
    'base/model',
    'lang/cron',
    'kubernetes/schema',
    'kubernetes/patch',
    'embedded/apiserver',
  ],
  embedded: ['base/std', 'platform/store', 'embedded/apiserver', 'embedded/controllers'],
};

/** Rooms that only compute: they run in a worker or a browser, and import nothing of Node. */
export const pure = [
  'base/std',
  'base/model',
  'lang/yaml',
  'lang/regex',
  'lang/cron',
  'lang/jsonnet',
  'lang/lua',
  'lang/jq',
  'lang/go-template',
  'kubernetes/schema',
  'kubernetes/patch',
  'engine',
  'engine/rollouts',
  'sources/kustomize',
  'sources/render',
  'serve/api',
  'embedded/cel',
];

// One library, one room: the room that wraps a package is the only one to import it.
export const packages = {
  'lang/yaml': ['js-yaml'],
  'lang/regex': ['re2js'],
  'lang/lua': ['lua-wasm-bindings'],
  'platform/store': ['lmdb'],
  engine: ['diff'],
  'serve/api': ['zod'],
  'serve/metrics': ['prom-client'],
  'serve/oidc': ['openid-client'],
  'serve/server': ['jose', '@node-rs/bcrypt'],
  'serve/cli': ['commander'],
  'embedded/apiserver': ['ws'],
  main: ['pino'],
};

// the web UI is a small house of its own; it may also enter any pure room
export const uiRooms = {
  kit: [],
  shape: [],
  data: [],
  parts: ['kit', 'shape', 'data'],
  pages: ['kit', 'shape', 'data', 'parts'],
};

export const uiPackages = ['react', 'react-dom', 'diff', '@fontsource-variable/inter'];
