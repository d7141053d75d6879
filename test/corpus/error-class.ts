/** The ways in which a render fails (KX-5, HO-1, HT-13 …). Words differ between engines; these must not. */
const classes = {
  SchemaViolation: /values don't meet the specifications of the schema/,
  ReleaseName: /invalid release name|release name .* exceeds/,
  SetUnparsed: /failed parsing --set/,
  ValuesUnparsed: /failed to parse/,
  ManifestUnparsed: /YAML parse error on/,
  MissingKustomization: /unable to find one of 'kustomization\.yaml'/,
  MultipleKustomizations: /Found multiple kustomization files/,
  KustomizationEmpty: /kustomization\.yaml is empty/,
  Cycle: /cycle detected/,
  LoadSecurity: /is not in or below/,
  IdConflict: /already registered id|produces ID conflict/,
  PatchTargetMissing: /no resource matches strategic merge patch|failed to find unique target for patch/,
  PatchPathMissing: /remove operation does not apply|nonexistent key/i,
  PatchInvalid:
    /unable to parse SM or JSON patch|illegally qualifies as both|wrong node kind|testing value .* failed|test failed/i,
  GeneratorConflict: /illegally repeats the key|exists; can not use behavior|cannot merge or replace/,
  ReplacementSource: /nothing selected by|multiple matches for selector/,
  ReplacementTarget: /unable to find field .* in replacement target/,
  ValidatorChanges: /validator shouldn't modify/,
  VarMissing: /cannot be mapped to a field in the set of known resources/,
  VarConflict: /var '.*' already encountered|multiple resources matching var/,
  ReplicasTarget: /does not match a config with the following GVK/,
  HelmDisabled: /must specify --enable-helm/,
  PluginDisabled: /external plugins disabled|unable to load external plugin/,
  ComponentExpected: /expected kind != 'Component'|expected kind '?Component|accumulating components/,
  InvalidKustomization:
    /invalid Kustomization|unknown field|already set in map|already defined|is not a valid/,
  MalformedResource: /missing metadata\.name|MalformedYAMLError|missing Resource metadata|yaml: line/,
  ResourceMissing: /accumulating resources|evalsymlink failure/,
  DependencyMissing: /missing in charts\/ directory|directory charts\/.* not found/,
  FileMissing: /no such file/,
  ChartVersion: /unsupported chart version/,
  KubeVersion: /incompatible with Kubernetes/,
  Library: /library charts are not installable/,
  NestedReference: /rendering template has a nested reference name/,
  ChartMetadata: /validation: chart\.metadata|Chart\.yaml file is missing|chart\.metadata/,
  ManifestKind: /Kind' is missing|unable to parse YAML/,
  ExecutionError: /execution error at \(/,
  TemplateUnparsed:
    /parse error at \(|function ".*" not defined|unclosed action|unexpected .* in (operand|command)/,
  TemplateFailed:
    /error calling|nil pointer evaluating|can't evaluate field|wrong type for value|no template ".*"|incompatible types|<.*>:/,
} as const satisfies Readonly<Record<string, RegExp>>;

export type ErrorClass = keyof typeof classes;

/** The class of an engine's complaint; the complaint itself when it is none we know, so that a test shows it. */
export function errorClass(message: string): string {
  return Object.entries(classes).find(([, words]) => words.test(message))?.[0] ?? message;
}

/** Where in a template an engine says it failed, each once; what a shortened message cut in two is no place. */
export const placesIn = (message: string): string[] => [
  ...new Set(message.replace(/ … \S*/, '').match(/[\w./-]+\/templates\/[\w.-]+:\d+(:\d+)?/g)),
];
