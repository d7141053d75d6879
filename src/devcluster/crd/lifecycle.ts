import type { Condition } from '#model';
import { equal } from '#std';
import type { Chores } from '../chores.ts';
import { dated } from '../conditions.ts';
import { type Core, peek } from '../core.ts';
import { type Item, nameOf } from '../item.ts';
import { plainDelete, resourceFor, writingInside } from '../write/inside.ts';
import { patch } from '../write/patch.ts';
import { remove } from '../write/remove.ts';
import { definitionSpec, type Names, resourcesOf } from './definition.ts';

const manager = 'kube-apiserver';
const shelfId = 'apiextensions.k8s.io/customresourcedefinitions';
const cleanupFinalizer = 'customresourcecleanup.apiextensions.k8s.io';

/** Takes definitions into service when they are established and out of it when they and their objects are gone. */
export function startDefinitions(core: Core, chores: Chores): void {
  const service = new Service(core);
  const tend = (name: string) => chores.add(`definition ${name}`, () => attend(core, service, name));
  for (const { item } of core.state.shelf(shelfId).list()) {
    if (isEstablished(item)) service.serve(item);
    tend(nameOf(item));
  }
  core.state.onCommit(({ shelf, next, previous }) => {
    if (shelf.id === shelfId) {
      const item = next?.item ?? previous?.item;
      if (item) tend(nameOf(item));
      return;
    }
    const definition = next ? undefined : definitionOf(core, shelf.id);
    if (definition?.metadata.deletionTimestamp !== undefined) tend(nameOf(definition));
  });
}

/** What is in service, so that only a definition that says something new changes it. */
class Service {
  readonly #core: Core;
  readonly #served = new Map<string, { readonly spec: unknown; readonly terminating: boolean }>();

  constructor(core: Core) {
    this.#core = core;
  }

  serve(definition: Item): void {
    const name = nameOf(definition);
    const now = { spec: definition.spec, terminating: definition.metadata.deletionTimestamp !== undefined };
    if (equal(this.#served.get(name), now)) return;
    this.#served.set(name, now);
    this.#core.kinds.serve(name, resourcesOf(definition));
  }

  stop(name: string): void {
    if (this.#served.delete(name)) this.#core.kinds.serve(name, []);
  }
}

/** The definition of the objects on a shelf: its name is `plural.group`. */
function definitionOf(core: Core, shelf: string): Item | undefined {
  const [group = '', plural = ''] = shelf.split('/');
  return peek(core, shelfId, '', `${plural}.${group}`);
}

type Status = {
  readonly conditions?: readonly Condition[];
  readonly storedVersions?: readonly string[];
  readonly acceptedNames?: Names | undefined;
};

const statusOf = (item: Item): Status => (item.status ?? {}) as Status;
const isEstablished = (item: Item): boolean =>
  statusOf(item).conditions?.some(({ type, status }) => type === 'Established' && status === 'True') === true;

function attend(core: Core, service: Service, name: string): void {
  const definition = peek(core, shelfId, '', name);
  if (!definition) {
    service.stop(name);
  } else if (definition.metadata.deletionTimestamp === undefined) {
    establish(core, service, definition);
  } else {
    wipe(core, service, definition);
  }
}

function establish(core: Core, service: Service, definition: Item): void {
  const conflict = nameConflict(core, definition);
  const accepted = conflict === undefined;
  // in service first: whoever reads Established must find the kind
  if (accepted) service.serve(definition);
  const conditions = [
    accepted
      ? { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' }
      : { type: 'NamesAccepted', status: 'False', reason: 'KindConflict', message: conflict },
    accepted
      ? {
          type: 'Established',
          status: 'True',
          reason: 'InitialNamesAccepted',
          message: 'the initial names have been accepted',
        }
      : {
          type: 'Established',
          status: 'False',
          reason: 'NotAccepted',
          message: 'not all names are accepted',
        },
  ];
  const spec = definitionSpec(definition);
  const storage = spec.versions?.find((version) => version.storage)?.name ?? '';
  report(core, definition, conditions, {
    acceptedNames: accepted ? spec.names : (statusOf(definition).acceptedNames ?? { plural: '', kind: '' }),
    storedVersions: [...new Set([...(statusOf(definition).storedVersions ?? []), storage])],
  });
}

function nameConflict(core: Core, definition: Item): string | undefined {
  const { group = '', names = {} } = definitionSpec(definition);
  const taken = core.kinds
    .all()
    .find(
      (other) =>
        other.group === group && other.custom?.definition !== nameOf(definition) && other.kind === names.kind,
    );
  return taken && `"${names.kind}" is already in use`;
}

/** compat 3.15: the objects go first, then the definition; meanwhile nothing new may be created. */
function wipe(core: Core, service: Service, definition: Item): void {
  if (!definition.metadata.finalizers?.includes(cleanupFinalizer)) return;
  service.serve(definition);
  const [resource] = resourcesOf(definition);
  const left = resource ? core.state.shelf(resource.shelf).list() : [];
  for (const { item } of left) {
    if (!resource || item.metadata.deletionTimestamp !== undefined) continue;
    remove(writingInside(core, resourceFor(core, item), manager, item.metadata), nameOf(item), plainDelete);
  }
  if (resource && core.state.shelf(resource.shelf).size > 0) {
    const message = 'CustomResource deletion is in progress';
    report(
      core,
      definition,
      [{ type: 'Terminating', status: 'True', reason: 'InstanceDeletionInProgress', message }],
      {},
    );
    return;
  }
  const finalizers = definition.metadata.finalizers.filter((finalizer) => finalizer !== cleanupFinalizer);
  const writing = writingInside(core, resourceFor(core, definition), manager);
  patch(writing, nameOf(definition), { type: 'merge', body: { metadata: { finalizers } } });
}

function report(core: Core, definition: Item, conditions: readonly Condition[], more: Status): void {
  const before = statusOf(definition).conditions ?? [];
  const kept = before.filter(({ type }) => !conditions.some((condition) => condition.type === type));
  const status = { ...more, conditions: [...kept, ...dated(core, before, conditions)] };
  if (equal({ ...statusOf(definition), ...status }, statusOf(definition))) return;
  const writing = writingInside(core, resourceFor(core, definition), manager, { subresource: 'status' });
  patch(writing, nameOf(definition), { type: 'merge', body: { status } });
}
