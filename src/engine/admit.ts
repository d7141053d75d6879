import { argoApiVersion, knownApplicationSpec, type UnknownField, unknownFieldText } from '#base/model';
import { isObject, type JsonObject } from '#base/std';

/**
 * dev engine A-19: the reasons to reject an Application before any lookup: an API group that does not exist,
 * and every unknown field under spec. Argo CD drops unknown fields without an error.
 */
export function admissionProblems(object: {
  readonly apiVersion?: unknown;
  readonly spec?: unknown;
}): string[] {
  const { apiVersion, spec } = object;
  return [
    // engine X-21
    ...(apiVersion === undefined || apiVersion === argoApiVersion
      ? []
      : [
          `apiVersion ${JSON.stringify(apiVersion)} does not exist for an Application; write ${argoApiVersion}`,
        ]),
    ...(isObject(spec) ? unknownFields(spec) : []),
  ];
}

function unknownFields(spec: JsonObject): string[] {
  const found: UnknownField[] = [];
  knownApplicationSpec(spec, 'spec', found);
  return found.map((field) => hints[field.path] ?? unknownFieldText(field));
}

const hints: Readonly<Record<string, string>> = {
  // engine X-20: never fanned out implicitly
  'spec.destinations':
    'spec.destinations is not a field: an Application has one destination; ' +
    'write an ApplicationSet with a list generator, one element for each cluster',
};
