import { dns1035LabelProblems, type KubeObject, parseDuration } from '#model';
import { isObject } from '#schema';
import { equal } from '#std';
import { note } from './kinds.ts';
import type {
  Revision,
  RevisionContainer,
  RevisionSpec,
  RevisionTemplate,
  Route,
  ServiceSpec,
  TrafficTarget,
} from './view.ts';

/** compat 5.6: what Knative's validating webhook says, one sentence with its paths each, in order of the sentences. */
export function problems(object: KubeObject, live: KubeObject | undefined): string[] {
  const merged = new Map<string, Problem>();
  for (const found of [...ofKind(object, live), ...ofAnnotations(object, live)]) {
    const key = `${found.message}\n${found.details ?? ''}`;
    const known = merged.get(key);
    merged.set(key, known ? { ...known, paths: [...known.paths, ...found.paths] } : found);
  }
  return [...merged.values()].map(sentence).sort();
}

type Problem = { readonly message: string; readonly paths: readonly string[]; readonly details?: string };

const sentence = ({ message, paths, details }: Problem): string =>
  `${message}: ${[...new Set(paths)].sort().join(', ')}${details === undefined ? '' : `\n${details}`}`;

const said = (message: string, ...paths: string[]): Problem => ({ message, paths });

function ofKind(object: KubeObject, live: KubeObject | undefined): Problem[] {
  switch (object.kind) {
    case 'Service': {
      const { template = {}, traffic = [] } = (object.spec ?? {}) as ServiceSpec;
      return [...ofTemplate(object, template, live), ...ofTraffic(traffic, 'Service')];
    }
    case 'Configuration':
      return ofTemplate(object, (object.spec as ServiceSpec | undefined)?.template ?? {}, live);
    case 'Route':
      return ofTraffic((object as Route).spec?.traffic ?? [], 'Route');
    case 'Revision':
      return ofRevision(object as Revision, live as Revision | undefined);
    default:
      return [];
  }
}

function ofTraffic(traffic: readonly TrafficTarget[], kind: 'Service' | 'Route'): Problem[] {
  const sum = traffic.reduce((total, { percent = 0 }) => total + percent, 0);
  return [
    ...(sum === 100 ? [] : [said(`Traffic targets sum to ${sum}, want 100`, 'spec.traffic')]),
    ...repeatedTags(traffic),
    ...traffic.flatMap((target, index) => ofTarget(target, index, kind)),
  ];
}

function repeatedTags(traffic: readonly TrafficTarget[]): Problem[] {
  const places = new Map<string, number[]>();
  for (const [index, { tag }] of traffic.entries()) {
    if (tag) places.set(tag, [...(places.get(tag) ?? []), index]);
  }
  return [...places]
    .filter(([, indexes]) => indexes.length > 1)
    .map(([tag, indexes]) => {
      const paths = indexes.map((index) => `spec.traffic[${index}].tag`);
      return said(`Multiple definitions for "${tag}"`, ...paths);
    });
}

function ofTarget(target: TrafficTarget, index: number, kind: 'Service' | 'Route'): Problem[] {
  const path = (field: string) => `spec.traffic[${index}].${field}`;
  const { percent = 0, revisionName, configurationName, latestRevision, tag } = target;
  const found: Problem[] = [];
  if (percent < 0 || percent > 100) found.push(said(`expected 0 <= ${percent} <= 100`, path('percent')));
  if (tag && dns1035LabelProblems(tag).length > 0) {
    found.push(
      said(
        `invalid value: not a DNS 1035 label: [${dns1035LabelProblems(tag).join(' ')}]`,
        `spec.traffic.tag[${index}]`,
      ),
    );
  }
  if (kind === 'Service' && configurationName) {
    found.push(said('must not set the field(s)', path('configurationName')));
  }
  if (kind === 'Route' && revisionName && configurationName) {
    found.push(said('expected exactly one, got both', path('configurationName'), path('revisionName')));
  }
  if (latestRevision === true && revisionName) {
    found.push(
      said(`may not set revisionName "${revisionName}" when latestRevision is true`, path('latestRevision')),
    );
  }
  if (latestRevision === false && !revisionName && kind === 'Service') {
    found.push(
      said('may not set latestRevision to false when revisionName is empty', path('latestRevision')),
    );
  }
  return found;
}

const templatePath = 'spec.template';

function ofTemplate(object: KubeObject, template: RevisionTemplate, live: KubeObject | undefined): Problem[] {
  return [
    ...ofRevisionSpec(template.spec ?? {}, `${templatePath}.spec`),
    ...ofName(object, template.metadata?.name),
    ...unnamedChange(template, (live?.spec as ServiceSpec | undefined)?.template),
    ...ofScale(template.metadata?.annotations ?? {}, `${templatePath}.metadata.annotations`),
  ];
}

function ofName({ metadata }: KubeObject, name: string | undefined): Problem[] {
  if (!name || name.startsWith(`${metadata.name}-`)) return [];
  const path = `${templatePath}.metadata.name`;
  return [said(`invalid value: "${name}" must have prefix "${metadata.name}-"`, path)];
}

function unnamedChange(next: RevisionTemplate, before: RevisionTemplate | undefined): Problem[] {
  const name = next.metadata?.name;
  if (!name || name !== before?.metadata?.name || equal(next, before)) return [];
  const message = 'Saw the following changes without a name change (-old +new)';
  return [
    {
      ...said(message, `${templatePath}.metadata.name`),
      details: changes('{*v1.RevisionTemplateSpec}', before, next),
    },
  ];
}

/** The fields that differ, old and new. */
function changes(path: string, before: unknown, after: unknown): string {
  if (equal(before, after)) return '';
  if (isObject(before) && isObject(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return names
      .map((name) => changes(`${path}.${name}`, before[name], after[name]))
      .filter((text) => text !== '')
      .join('\n');
  }
  const print = (value: unknown) =>
    JSON.stringify(value, (_key, one) => (typeof one === 'bigint' ? String(one) : one)) ?? '""';
  return `${path}:\n\t-: ${print(before)}\n\t+: ${print(after)}`;
}

/** compat 5.6: the parts of a pod that Knative lets its users decide. */
const podFields = new Set([
  'containerConcurrency',
  'timeoutSeconds',
  'responseStartTimeoutSeconds',
  'idleTimeoutSeconds',
  'serviceAccountName',
  'containers',
  'initContainers',
  'volumes',
  'imagePullSecrets',
  'enableServiceLinks',
  'automountServiceAccountToken',
  'securityContext',
]);

function ofRevisionSpec(spec: RevisionSpec, path: string): Problem[] {
  const forbidden = Object.keys(spec).filter((field) => !podFields.has(field));
  const { containers = [], timeoutSeconds = 300, containerConcurrency = 0 } = spec;
  const ports = containers.flatMap((one) => one.ports ?? []);
  return [
    ...forbidden.map((field) => said('must not set the field(s)', `${path}.${field}`)),
    ...(containers.length === 0 ? [said('missing field(s)', `${path}.containers`)] : []),
    ...(timeoutSeconds > 600 || timeoutSeconds < 0
      ? [said(`expected 0 <= ${timeoutSeconds} <= 600`, `${path}.timeoutSeconds`)]
      : []),
    ...(containerConcurrency < 0 || containerConcurrency > 1000
      ? [said(`expected 0 <= ${containerConcurrency} <= 1000`, `${path}.containerConcurrency`)]
      : []),
    ...(ports.length > 1
      ? [
          {
            ...said('more than one container port is set', `${path}.containers[*].ports`),
            details: 'Only a single port is allowed across all containers',
          },
        ]
      : []),
    ...(containers.length > 1 && ports.length === 0
      ? [said('missing field(s)', `${path}.containers[*].ports`)]
      : []),
    ...containers.flatMap((container, index) => ofContainer(container, `${path}.containers[${index}]`)),
  ];
}

const containerFields = new Set([
  'name',
  'args',
  'command',
  'env',
  'envFrom',
  'workingDir',
  'image',
  'volumeMounts',
  'imagePullPolicy',
  'livenessProbe',
  'ports',
  'readinessProbe',
  'startupProbe',
  'resources',
  'terminationMessagePath',
  'terminationMessagePolicy',
  'securityContext',
]);

function ofContainer(container: RevisionContainer, path: string): Problem[] {
  const forbidden = Object.keys(container).filter((field) => !containerFields.has(field));
  return [
    ...forbidden.map((field) => said('must not set the field(s)', `${path}.${field}`)),
    ...(container.image ? [] : [said('missing field(s)', `${path}.image`)]),
  ];
}

function ofRevision(next: Revision, live: Revision | undefined): Problem[] {
  if (!live) return ofRevisionSpec(next.spec ?? {}, 'spec');
  if (equal(next.spec, live.spec)) return [];
  return [
    {
      ...said('Immutable fields changed (-old +new)', 'spec'),
      details: changes('*{v1.RevisionSpec}', live.spec, next.spec),
    },
  ];
}

function ofAnnotations({ metadata }: KubeObject, live: KubeObject | undefined): Problem[] {
  const { annotations = {} } = metadata;
  const path = (name: string) => `metadata.annotations.${name}`;
  const found = ofDurations(annotations, 'metadata.annotations');
  const creator = live?.metadata.annotations?.[note.creator];
  if (creator !== undefined && annotations[note.creator] !== creator) {
    found.push(said('annotation value is immutable', path(note.creator)));
  }
  return found;
}

function ofDurations(annotations: Readonly<Record<string, string>>, path: string): Problem[] {
  return [note.rolloutDuration, note.progressDeadline].flatMap((name) => {
    const value = annotations[name];
    return value === undefined || isDuration(value)
      ? []
      : [said(`invalid value: ${value}`, `${path}.${name}`)];
  });
}

function isDuration(text: string): boolean {
  try {
    return parseDuration(text) >= 0;
  } catch {
    return false;
  }
}

function ofScale(annotations: Readonly<Record<string, string>>, path: string): Problem[] {
  const names = [note.minScale, note.initialScale, 'autoscaling.knative.dev/max-scale'];
  const wrong = names.filter(
    (name) => annotations[name] !== undefined && !/^\d+$/.test(annotations[name] ?? ''),
  );
  return [
    ...wrong.map((name) => said(`invalid value: ${annotations[name]}`, `${path}.${name}`)),
    ...ofDurations(annotations, path),
  ];
}
