import type { Condition } from '#base/model';
import { equal, printJson } from '#base/std';
import type { BackgroundTasks } from '../background-tasks.ts';
import { dated } from '../conditions.ts';
import { type Core, peek } from '../core.ts';
import { type Item, nameOf, withField } from '../item.ts';
import { apiVersionOf, type ServedResource } from '../kinds.ts';
import type { Committed } from '../state.ts';
import type { Stored } from '../stored.ts';
import { hasService } from '../webhook/session.ts';
import { complete } from '../write/default.ts';
import { internalWrite, plainDelete, resourceFor } from '../write/internal-write.ts';
import { patch } from '../write/patch.ts';
import { remove } from '../write/remove.ts';
import { definitionSpec, type Names, resourcesOf } from './definition.ts';
import { acceptedNames, acceptNames, definitionsOfGroup } from './names.ts';

const manager = 'kube-apiserver';
const collectionId = 'apiextensions.k8s.io/customresourcedefinitions';
const cleanupFinalizer = 'customresourcecleanup.apiextensions.k8s.io';

/** Serves definitions once they are established, and stops when they and their objects are deleted. */
export function startDefinitions(core: Core, tasks: BackgroundTasks): void {
  const service = new Service(core);
  const tend = (name: string) => tasks.add(`definition ${name}`, () => attend(core, service, name));
  for (const { item } of core.state.collection(collectionId).list()) {
    if (isEstablished(item)) service.serve(item);
    tend(nameOf(item));
  }
  core.state.onCommit((change) => {
    for (const name of concerned(core, change)) tend(name);
  });
}

/** The definitions that a change affects. */
function concerned(core: Core, { collection, next, previous }: Committed): string[] {
  const item = next?.item ?? previous?.item;
  if (!item) return [];
  if (collection.id !== collectionId) {
    const definition = next ? undefined : definitionOf(core, collection.id);
    return definition?.metadata.deletionTimestamp === undefined ? [] : [nameOf(definition)];
  }
  // compat cluster 3.15: released names are available to definitions that wait for them
  const others =
    namesOf(next) === namesOf(previous) ? [] : definitionsOfGroup(core, definitionSpec(item).group);
  return [...new Set([nameOf(item), ...others.map(nameOf)])];
}

const namesOf = (stored: Stored | undefined): string => (stored ? printJson(acceptedNames(stored.item)) : '');

/** The served definitions, so that only a changed definition updates the served kinds. */
class Service {
  readonly #core: Core;
  readonly #served = new Map<string, unknown>();

  constructor(core: Core) {
    this.#core = core;
  }

  serve(definition: Item): void {
    const name = nameOf(definition);
    const now = {
      spec: definition.spec,
      names: acceptedNames(definition),
      terminating: definition.metadata.deletionTimestamp !== undefined,
    };
    if (equal(this.#served.get(name), now)) return;
    this.#served.set(name, now);
    const resources = resourcesOf(definition, hasService(this.#core));
    this.#core.kinds.serve(name, resources);
    rereadAll(this.#core, resources);
  }

  stop(name: string): void {
    if (this.#served.delete(name)) this.#core.kinds.serve(name, []);
  }
}

/** compat cluster 3.15: a changed schema prunes and defaults existing objects too, when they are read. */
function rereadAll({ state }: Core, resources: readonly ServedResource[]): void {
  const [first] = resources;
  if (!first) return;
  const collection = state.collection(first.collection);
  for (const { key, item } of collection.list()) {
    const resource = resources.find((one) => apiVersionOf(one) === item.apiVersion);
    const now = resource ? complete(item, resource) : item;
    if (!equal(now, item)) state.reread({ collection, key }, now);
  }
}

/** The definition of the objects in a table: its name is `plural.group`. */
function definitionOf(core: Core, collection: string): Item | undefined {
  const [group = '', plural = ''] = collection.split('/');
  return peek(core, collectionId, '', `${plural}.${group}`);
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
  const definition = peek(core, collectionId, '', name);
  if (!definition) {
    service.stop(name);
  } else if (definition.metadata.deletionTimestamp === undefined) {
    establish(core, service, definition);
  } else {
    wipe(core, service, definition);
  }
}

function establish(core: Core, service: Service, definition: Item): void {
  const { names, conflict } = acceptNames(core, definition);
  const isNew = !isEstablished(definition);
  const known = withField(definition, 'status', { ...statusOf(definition), acceptedNames: names });
  // served first: a client that reads Established must find the kind
  if (!conflict || !isNew) service.serve(known);
  const conditions = [
    conflict
      ? { type: 'NamesAccepted', status: 'False', ...conflict }
      : { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' },
    conflict && isNew
      ? {
          type: 'Established',
          status: 'False',
          reason: 'NotAccepted',
          message: 'not all names are accepted',
        }
      : {
          type: 'Established',
          status: 'True',
          reason: 'InitialNamesAccepted',
          message: 'the initial names have been accepted',
        },
  ];
  report(core, definition, conditions, { acceptedNames: names });
}

/** compat cluster 3.15: the objects are deleted first, then the definition; meanwhile nothing can be created. */
function wipe(core: Core, service: Service, definition: Item): void {
  if (!definition.metadata.finalizers?.includes(cleanupFinalizer)) return;
  service.serve(definition);
  const [resource] = resourcesOf(definition, hasService(core));
  const left = resource ? core.state.collection(resource.collection).list() : [];
  for (const { item } of left) {
    if (!resource || item.metadata.deletionTimestamp !== undefined) continue;
    remove(internalWrite(core, resourceFor(core, item), manager, item.metadata), nameOf(item), plainDelete);
  }
  if (resource && core.state.collection(resource.collection).size > 0) {
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
  const writing = internalWrite(core, resourceFor(core, definition), manager);
  patch(writing, nameOf(definition), { type: 'merge', body: { metadata: { finalizers } } });
}

function report(core: Core, definition: Item, conditions: readonly Condition[], more: Status): void {
  const before = statusOf(definition).conditions ?? [];
  const kept = before.filter(({ type }) => !conditions.some((condition) => condition.type === type));
  const status = { ...more, conditions: [...kept, ...dated(core, before, conditions)] };
  if (equal({ ...statusOf(definition), ...status }, statusOf(definition))) return;
  const writing = internalWrite(core, resourceFor(core, definition), manager, { subresource: 'status' });
  patch(writing, nameOf(definition), { type: 'merge', body: { status } });
}
