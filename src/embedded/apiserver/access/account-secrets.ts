import { encodeBase64Text } from '#base/model';
import { isObject } from '#kubernetes/schema';
import type { BackgroundTasks } from '../background-tasks.ts';
import { type Core, peek } from '../core.ts';
import type { Item } from '../item.ts';
import { internalWrite, plainDelete, resourceFor } from '../write/internal-write.ts';
import { patch } from '../write/patch.ts';
import { remove } from '../write/remove.ts';

const type = 'kubernetes.io/service-account-token';
const nameKey = 'kubernetes.io/service-account.name';
const uidKey = 'kubernetes.io/service-account.uid';

/**
 * compat cluster 3.18: a Secret of this type gets a token of the account it names, and is deleted with the
 * account.
 */
export function startAccountSecrets(core: Core, tasks: BackgroundTasks, certificate: () => string): void {
  core.state.onCommit(({ collection, next, previous }) => {
    if (collection.id === '/secrets' && next?.item.type === type) {
      const { namespace = '', name = '' } = next.item.metadata;
      tasks.add(`token secret ${namespace}/${name}`, () =>
        complete(core, { namespace, name }, certificate()),
      );
    }
    if (collection.id === '/serviceaccounts' && !next && previous) {
      const { namespace = '', name = '' } = previous.item.metadata;
      tasks.add(`token secrets of ${namespace}/${name}`, () => dropAll(core, namespace, name));
    }
  });
}

type AccountKey = { readonly namespace: string; readonly name: string };

function complete(core: Core, { namespace, name }: AccountKey, certificate: string): void {
  const secret = peek(core, '/secrets', namespace, name);
  if (!secret || secret.type !== type || secret.metadata.deletionTimestamp !== undefined) return;
  const account = peek(core, '/serviceaccounts', namespace, secret.metadata.annotations?.[nameKey] ?? '');
  if (!account) {
    removeSecret(core, secret);
    return;
  }
  if (isObject(secret.data) && typeof secret.data.token === 'string') return;
  const data = {
    'ca.crt': encodeBase64Text(certificate),
    namespace: encodeBase64Text(namespace),
    token: encodeBase64Text(core.access.accountTokens.issueForSecret(account, name)),
  };
  const annotations = { [uidKey]: account.metadata.uid ?? '' };
  patch(writing(core, secret), name, { type: 'merge', body: { metadata: { annotations }, data } });
}

function dropAll(core: Core, namespace: string, account: string): void {
  for (const { item } of core.state.collection('/secrets').list(namespace)) {
    if (item.type === type && item.metadata.annotations?.[nameKey] === account) removeSecret(core, item);
  }
}

function removeSecret(core: Core, secret: Item): void {
  remove(writing(core, secret), secret.metadata.name ?? '', plainDelete);
}

const writing = (core: Core, secret: Item) =>
  internalWrite(core, resourceFor(core, secret), 'kube-controller-manager', {
    namespace: secret.metadata.namespace,
  });
