// The map of the house. A room may import only the rooms listed beside it,
// and each of those stands above it in this table: knowledge flows one way.
const words = ['std', 'model'];

export const rooms = {
  // ground floor: words
  std: [],
  model: ['std'],

  // first floor: thinking. Pure; runs in a worker or a browser.
  'lang/yaml': ['std'],
  'lang/regex': ['std'],
  'lang/go-template': ['std', 'lang/yaml', 'lang/regex'],
  'lang/jsonnet': ['std'],
  'lang/lua': ['std'],
  'lang/jq': ['std', 'lang/regex'],
  'lang/expr': ['std', 'lang/regex'],
  'lang/cel': ['std', 'lang/regex'],
  'lang/protobuf': ['std'],
  schema: words,
  patch: [...words, 'schema'],
  api: [...words, 'lang/protobuf'],
  helm: [...words, 'lang/yaml', 'lang/go-template'],
  kustomize: [...words, 'lang/yaml', 'patch'],
  render: [...words, 'lang/yaml', 'lang/jsonnet', 'helm'],
  engine: [
    ...words,
    'lang/yaml',
    'lang/go-template',
    'lang/lua',
    'lang/jq',
    'lang/expr',
    'lang/regex',
    'schema',
    'patch',
  ],

  // second floor: edges. I/O lives here.
  exec: words,
  http: words,
  kube: [...words, 'lang/yaml', 'exec'],
  source: [...words, 'lang/yaml', 'exec', 'http'],
  store: words,
  notify: words,
  threads: [...words, 'lang/lua', 'render', 'engine'],
  devcluster: [...words, 'lang/yaml', 'lang/cel', 'lang/regex', 'lang/protobuf', 'schema', 'patch', 'store'],

  // third floor: standing machinery
  live: [...words, 'lang/yaml', 'engine', 'kube', 'threads'],
  manifests: [...words, 'kustomize', 'render', 'exec', 'source', 'store', 'threads'],
  loop: [...words, 'kube', 'store'],
  metrics: [...words, 'http', 'kube'],
  look: [...words, 'engine', 'threads', 'live', 'manifests'],
  simulate: [...words, 'schema', 'devcluster'],

  // fourth floor: doing
  controllers: [
    ...words,
    'schema',
    'patch',
    'engine',
    'kube',
    'notify',
    'store',
    'threads',
    'live',
    'manifests',
    'loop',
    'look',
  ],
  server: [
    ...words,
    'patch',
    'api',
    'engine',
    'http',
    'kube',
    'store',
    'threads',
    'live',
    'manifests',
    'look',
  ],
  cli: [...words, 'lang/yaml', 'api', 'engine', 'kube', 'manifests'],
};

export const pure = Object.keys(rooms).slice(0, Object.keys(rooms).indexOf('exec'));

// One library, one room: the room that wraps a package is the only one to import it.
export const packages = {
  'lang/yaml': ['js-yaml'],
  'lang/regex': ['re2js'],
  'lang/lua': ['lua-wasm-bindings'],
  api: ['zod'],
  engine: ['diff'],
  store: ['lmdb'],
  server: ['jose', '@node-rs/bcrypt'],
  metrics: ['prom-client'],
  cli: ['commander'],
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

export const uiPackages = ['react', 'react-dom', '@fontsource-variable/inter'];
