import type { Health, KubeObject } from '#base/model';
import { check, firstAnswer, on, reader, sameFor, settledBy } from '../rules.ts';
import { type Checks, conditionsOf, degraded, healthy, progressing } from '../verdict.ts';

const ready = check(settledBy('Ready'));

/** Only the newest condition counts: the list is a history, and its last entry is current. */
function newestCondition(object: KubeObject): Health | undefined {
  return firstAnswer(conditionsOf(object).slice(-1), object, [
    on('Ready', 'True', healthy),
    on('PartiallyReady', 'True', degraded),
    on('NotReady', 'True', degraded),
  ]);
}

const legacyWord = reader('status.status');

/** The first external-secrets put everything into one sentence: SUCCESS, or ERROR and what went wrong. */
function legacyExternalSecret(object: KubeObject): Health | undefined {
  const word = legacyWord(object);
  if (typeof word !== 'string') return undefined;
  if (word === 'SUCCESS') return healthy();
  return word.startsWith('ERROR') ? degraded(word) : progressing(word);
}

/** Operators that bring secrets into the cluster. */
export const secrets: Checks = {
  'bitnami.com/SealedSecret': check(settledBy('Synced')),
  ...sameFor(
    'external-secrets.io',
    ['ClusterPushSecret', 'ClusterSecretStore', 'ExternalSecret', 'PushSecret', 'SecretStore'],
    ready,
  ),
  'external-secrets.io/ClusterExternalSecret': check(newestCondition),
  'kubernetes-client.io/ExternalSecret': check(legacyExternalSecret),
  'onepassword.com/OnePasswordItem': ready,
};
