import { dns1035LabelProblems, dnsLabelProblems, type KubeObject } from '#base/model';
import { equal } from '#base/std';
import type { KnativeConfig } from '../config.ts';
import { label, note } from '../kinds.ts';
import type { KnativeRoute, Revision, RevisionTemplate, ServiceSpec } from '../view.ts';
import {
  type AnnotationMap,
  ofNetworking,
  ofProgressDeadline,
  ofRollout,
  ofScaling,
  ofSidecarResources,
  withoutScaling,
} from './annotations.ts';
import { revisionChanges, templateChanges } from './change.ts';
import { ofRevisionSpec } from './pod-spec.ts';
import { disallowed, explained, invalid, type KnativeProblem, missing, said, under } from './problem.ts';
import { ofTraffic } from './traffic.ts';

type Judge = (config: KnativeConfig, object: KubeObject, live: KubeObject | undefined) => KnativeProblem[];

/** compat cluster 5.6: the problems and warnings that Knative's validating webhook reports. */
export const problems: Judge = (config, object, live) => judges[object.kind]?.(config, object, live) ?? [];

const judges: Readonly<Record<string, Judge>> = {
  Service: (config, object, live) => {
    const { template = {}, traffic = [] } = (object.spec ?? {}) as ServiceSpec;
    return [
      ...under('metadata', [...ofMeta(object), ...under('annotations', ofRollout(notesOf(object)))]),
      ...under('spec.template', ofTemplate(config, object, template)),
      ...under('spec.traffic', ofTraffic(traffic, true)),
      ...ofSignatures(object, live),
      ...unnamedChange(template, live),
    ];
  },
  Configuration: (config, object, live) => {
    const { template = {} } = (object.spec ?? {}) as ServiceSpec;
    return [
      ...under('metadata', [...ofMeta(object), ...ofOwner(object, label.service, 'Service')]),
      ...under('spec.template', ofTemplate(config, object, template)),
      ...(object.metadata.ownerReferences ? [] : ofSignatures(object, live)),
      ...unnamedChange(template, live),
    ];
  },
  Route: (_config, object, live) => [
    ...under('metadata', [
      ...ofMeta(object),
      ...ofOwner(object, label.service, 'Service'),
      ...under('annotations', ofRollout(notesOf(object))),
    ]),
    ...under('spec.traffic', ofTraffic((object as KnativeRoute).spec?.traffic ?? [], false)),
    ...(object.metadata.ownerReferences ? [] : ofSignatures(object, live)),
  ],
  Revision: (config, object, live) => ofRevision(config, object as Revision, live as Revision | undefined),
  DomainMapping: (_config, object, live) => [
    ...under('metadata', ofDomain(object)),
    ...under('spec.ref', ofReference(object)),
    ...ofSignatures(object, live),
  ],
};

const notesOf = ({ metadata }: KubeObject): AnnotationMap => metadata.annotations ?? {};

function ofMeta(object: KubeObject): KnativeProblem[] {
  return [...ofObjectName(object), ...under('annotations', withoutScaling(notesOf(object)))];
}

function ofObjectName({ metadata }: KubeObject): KnativeProblem[] {
  const why = dns1035LabelProblems(metadata.name ?? '');
  return why.length > 0 ? [said(`not a DNS 1035 label: [${why.join(' ')}]`, 'name')] : [];
}

/** compat cluster 5.6: an object with the label of an owner must have that owner reference. */
function ofOwner({ metadata }: KubeObject, key: string, kind: string): KnativeProblem[] {
  const name = metadata.labels?.[key];
  if (name === undefined) return [];
  const isOwned = (metadata.ownerReferences ?? []).some((ref) => ref.kind === kind && ref.name === name);
  return isOwned ? [] : [missing(`labels.${key}`)];
}

function ofTemplate(config: KnativeConfig, object: KubeObject, template: RevisionTemplate): KnativeProblem[] {
  const notes = template.metadata?.annotations ?? {};
  return [
    ...under('spec', ofRevisionSpec(config, template.spec ?? {})),
    ...under('metadata.annotations', [...ofScaling(config, notes), ...ofNetworking(notes)]),
    ...ofRevisionName(object, template.metadata?.name ?? ''),
    ...under('metadata.annotations', [...ofSidecarResources(notes), ...ofProgressDeadline(notes)]),
  ];
}

function ofRevisionName({ metadata }: KubeObject, name: string): KnativeProblem[] {
  if (name === '') return [];
  const path = 'metadata.name';
  const why = dns1035LabelProblems(name);
  if (why.length > 0) return [invalid(`not a DNS 1035 label: [${why.join(' ')}]`, path)];
  const prefix = `${metadata.name}-`;
  return name.startsWith(prefix) ? [] : [invalid(`"${name}" must have prefix "${prefix}"`, path)];
}

/** compat cluster 5.6: the creator is immutable, and the last modifier changes only with the spec. */
function ofSignatures(object: KubeObject, live: KubeObject | undefined): KnativeProblem[] {
  if (!live) return [];
  const [before, after] = [notesOf(live), notesOf(object)];
  const { [note.creator]: creator, [note.lastModifier]: modifier } = after;
  const isSameSpec = equal(live.spec, object.spec);
  return under('metadata.annotations', [
    ...(creator === before[note.creator] ? [] : [said('annotation value is immutable', note.creator)]),
    ...(isSameSpec && modifier !== before[note.lastModifier]
      ? [invalid(modifier ?? '', note.lastModifier)]
      : []),
  ]);
}

/** compat cluster 5.6: a changed template with a revision name must have a new name. */
function unnamedChange(next: RevisionTemplate, live: KubeObject | undefined): KnativeProblem[] {
  const before = (live?.spec as ServiceSpec | undefined)?.template;
  const name = next.metadata?.name;
  if (!before || !name || name !== before.metadata?.name || equal(next, before)) return [];
  const message = 'Saw the following changes without a name change (-old +new)';
  return [explained(said(message, 'spec.template.metadata.name'), templateChanges(before, next))];
}

function ofRevision(config: KnativeConfig, next: Revision, live: Revision | undefined): KnativeProblem[] {
  const { spec = {} } = next;
  if (live && !equal(spec, live.spec)) {
    const message = 'Immutable fields changed (-old +new)';
    return [explained(said(message, 'spec'), revisionChanges(live.spec ?? {}, spec))];
  }
  return [
    ...under('metadata', [
      ...ofObjectName(next),
      ...under('annotations', ofScaling(config, notesOf(next))),
      ...ofOwner(next, label.configuration, 'Configuration'),
    ]),
    ...(live ? [] : under('spec', ofRevisionSpec(config, spec))),
  ];
}

const clusterDomain = 'cluster.local';

function ofDomain({ metadata }: KubeObject): KnativeProblem[] {
  const { name = '', generateName } = metadata;
  const why = domainProblem(name);
  const message = why === undefined ? undefined : `name: Invalid value: "${name}": ${why}`;
  const inside = `must not be a subdomain of cluster local domain "${clusterDomain}"`;
  return [
    ...(generateName ? [disallowed('generateName')] : []),
    ...(message === undefined ? [] : [said(`invalid name "${name}": ${message}`, 'name')]),
    ...(name.endsWith(`.${clusterDomain}`) ? [said(`invalid name "${name}": ${inside}`, 'name')] : []),
  ];
}

function domainProblem(name: string): string | undefined {
  const parts = name.replace(/\.$/, '').split('.');
  const wrong = parts.flatMap((part) => dnsLabelProblems(part))[0];
  if (wrong !== undefined) return wrong;
  return parts.length < 2 ? 'should be a domain with at least two segments separated by dots' : undefined;
}

type Reference = Readonly<Record<'kind' | 'name' | 'apiVersion' | 'group' | 'namespace', string | undefined>>;

function ofReference({ spec, metadata }: KubeObject): KnativeProblem[] {
  const ref = ((spec as { ref?: Reference } | undefined)?.ref ?? {}) as Reference;
  const absent = (['name', 'apiVersion', 'kind'] as const).filter((field) => !ref[field]);
  const { namespace = '' } = metadata;
  const isElsewhere = !!ref.namespace && ref.namespace !== namespace;
  const details = `parent namespace: "${namespace}" does not match ref: "${ref.namespace}"`;
  return [
    ...(absent.length > 0 ? [missing(...absent)] : []),
    ...(ref.group ? [disallowed('group')] : []),
    ...(isElsewhere ? [explained(said('mismatched namespaces', 'namespace'), details)] : []),
  ];
}
