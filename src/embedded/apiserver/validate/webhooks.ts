import { checkConditions } from '../policy/check-policy.ts';
import { checkRule } from './admission-rules.ts';
import type { FieldCheck } from './check.ts';

const webhookVersions = ['v1', 'v1beta1'];

/** compat cluster 3.13: both kinds of webhook configurations. */
export function checkWebhooks(object: FieldCheck): void {
  for (const hook of object.field('webhooks').items()) checkWebhook(hook);
}

function checkWebhook(hook: FieldCheck): void {
  const name = hook.field('name');
  if (name.text.split('.').length < 3) {
    name.invalid('should be a domain with at least three segments separated by dots');
  }
  for (const rule of hook.field('rules').items()) checkRule(rule);
  hook.field('failurePolicy').oneOf(['Fail', 'Ignore']);
  hook.field('matchPolicy').oneOf(['Equivalent', 'Exact']);
  const effects = hook.field('sideEffects');
  if (!effects.isSet) effects.lacking('must specify one of None, NoneOnDryRun');
  else effects.oneOf(['None', 'NoneOnDryRun']);
  checkTimeout(hook);
  checkWebhookClient(hook.field('clientConfig'));
  checkConditions(hook.field('matchConditions'), { hasParams: false });
  checkReviewVersions(hook.field('admissionReviewVersions'));
}

function checkTimeout(hook: FieldCheck): void {
  const { value: timeout } = hook.field('timeoutSeconds');
  if (typeof timeout === 'number' && (timeout < 1 || timeout > 30)) {
    hook.field('timeoutSeconds').invalid('the timeout value must be between 1 and 30 seconds');
  }
}

/** The AdmissionReview versions that the server supports. */
export function checkReviewVersions(versions: FieldCheck): void {
  const given = versions.items().map((version) => version.text);
  const known = webhookVersions.join(', ');
  if (given.length === 0) versions.lacking(`must specify one of ${known}`);
  else if (!given.some((version) => webhookVersions.includes(version))) {
    versions.invalid(`must include at least one of ${known}`);
  }
}

/** compat cluster 3.13: the client config of a webhook. */
export function checkWebhookClient(client: FieldCheck): void {
  const [url, service] = [client.field('url'), client.field('service')];
  if (url.isSet === service.isSet) client.lacking('exactly one of url or service is required');
  if (url.isSet) checkUrl(url);
}

function checkUrl(url: FieldCheck): void {
  const scheme = /^([a-z]+):/.exec(url.text)?.[1] ?? '';
  const desired = 'desired format: https://host[/path]';
  if (scheme !== 'https') {
    url.invalid(`'https' is the only allowed URL scheme; ${desired}`, scheme);
  }
  if (!URL.canParse(url.text) || new URL(url.text).host === '') {
    url.invalid(`host must be specified; ${desired}`, '');
    return;
  }
  const { username, hash, search } = new URL(url.text);
  if (username !== '') url.invalid('user information is not permitted in the URL', username);
  if (hash !== '') url.invalid('fragments are not permitted in the URL', hash.slice(1));
  if (search !== '') url.invalid('query parameters are not permitted in the URL', search.slice(1));
}
