import { parse } from '#lang/yaml';
import { emptyConfig, type KustomizeConfig, mergeConfigs } from './config.ts';
import { decline } from './decline.ts';
import type { FieldSpec } from './field-path.ts';
import { checkWriting } from './read.ts';
import { asFields, type FieldMap } from './values.ts';

/** The fields that the files of `crds` declare for their kinds (sources KC-1). */
export const readCrds = (texts: readonly string[]): KustomizeConfig =>
  texts.map(readCrd).reduce(mergeConfigs, emptyConfig);

function readCrd(text: string): KustomizeConfig {
  checkWriting(text);
  const types = asFields(parse(text, { duplicateKeys: 'reject' }), 'a schema');
  const configs = Object.keys(types).map((name) => {
    const kind = name.split('.').at(-1) ?? '';
    const fields = propertiesOf(types, name);
    const isKind = ['kind', 'apiVersion', 'metadata'].every((field) => Object.hasOwn(fields, field));
    return isKind ? fieldsOf({ types, kind, name, path: [] }) : emptyConfig;
  });
  return configs.reduce(mergeConfigs, emptyConfig);
}

function propertiesOf(types: FieldMap, name: string): FieldMap {
  const type = types[name];
  if (type === undefined) return {};
  const { Schema } = asFields(type, 'a type');
  return asFields(asFields(Schema ?? {}, 'a schema').properties ?? {}, 'properties');
}

type Walk = {
  readonly types: FieldMap;
  readonly kind: string;
  readonly name: string;
  readonly path: readonly string[];
};

function fieldsOf({ types, kind, name, path }: Walk): KustomizeConfig {
  if (path.length > 20) decline('a schema that contains itself');
  let config = emptyConfig;
  for (const [field, property] of Object.entries(propertiesOf(types, name))) {
    const schema = asFields(property, 'a property');
    const here = [...path, field];
    const spec = (at: readonly string[]): FieldSpec => ({
      group: '',
      version: '',
      kind,
      path: at,
      create: false,
    });
    config = mergeConfigs(config, marked(schema, here, spec));
    const { $ref } = schema;
    if ($ref === undefined) continue;
    if (typeof $ref !== 'string') decline('an odd reference in a schema');
    config = mergeConfigs(config, fieldsOf({ types, kind, name: $ref, path: here }));
  }
  return config;
}

/** The fields that the extensions of a property declare. */
function marked(
  schema: FieldMap,
  path: readonly string[],
  spec: (at: readonly string[]) => FieldSpec,
): KustomizeConfig {
  const text = (name: string): string | undefined => {
    const value = schema[`x-kubernetes-${name}`];
    return value === undefined || typeof value === 'string' ? value : decline('an odd extension of a schema');
  };
  const list = (name: string): FieldSpec[] => (text(name) === undefined ? [] : [spec(path)]);
  const [version, kind] = [text('object-ref-api-version'), text('object-ref-kind')];
  const isReference = version !== undefined && kind !== undefined;
  const named = [...path, text('object-ref-name-key') ?? 'name'];
  return {
    ...emptyConfig,
    commonAnnotations: list('annotation'),
    commonLabels: list('label-selector'),
    namePrefix: list('identity'),
    nameReference: isReference ? [{ target: { group: '', version, kind }, referrers: [spec(named)] }] : [],
  };
}
