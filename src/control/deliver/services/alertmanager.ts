import { FairleadError, isObject, type JsonObject } from '#base/std';
import { requireAccepted } from '../answer.ts';
import { basic, bearer, filled, given, insecureOf, json, map, partOf, text } from '../fields.ts';
import type { ServiceKind } from '../service.ts';

/** compat server §6.6: an alert for every target; one that takes it is enough, since they are replicas. */
export const alertmanager: ServiceKind = {
  required: [],
  optional: ['targets', 'scheme', 'apiPath', 'basicAuth', 'bearerToken', 'insecureSkipVerify', 'timeout'],
  async send(ctx, reach, delivery) {
    const { options, notification } = delivery;
    const part = partOf(delivery);
    const labels = map(part, 'labels');
    if (Object.keys(labels).length === 0)
      throw new FairleadError('InvalidSpec', 'the template has no alertmanager.labels, which an alert needs');
    const annotations = isObject(part.annotations) ? part.annotations : { message: notification.message };
    const alert = given({ labels, annotations, generatorURL: filled(part, 'generatorURL') });
    const targets = Array.isArray(options.targets) ? options.targets.map(String) : ['127.0.0.1:9093'];
    const headers = { ...json, ...loginIn(options) };
    const scheme = text(options, 'scheme') || 'http';
    const path = text(options, 'apiPath') || '/api/v2/alerts';
    const sent = await Promise.allSettled(
      targets.map(async (target) => {
        const url = `${scheme}://${target}/${path.replace(/^\/+/, '')}`;
        requireAccepted(
          await reach.request(ctx, { url, headers, body: JSON.stringify([alert]), ...insecureOf(options) }),
        );
      }),
    );
    const failed = sent.find((one) => one.status === 'rejected');
    if (failed && !sent.some((one) => one.status === 'fulfilled')) throw failed.reason;
  },
};

function loginIn(options: JsonObject): Record<string, string> {
  const token = filled(options, 'bearerToken');
  const login = map(options, 'basicAuth');
  if (token) return bearer(token);
  return login.username === undefined ? {} : basic(text(login, 'username'), text(login, 'password'));
}
