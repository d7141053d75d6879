import { portNameProblems } from '#base/model';
import type { FieldCheck } from './check.ts';

const handlers = ['exec', 'httpGet', 'tcpSocket', 'grpc', 'sleep'];

/** `once`: liveness and startup need one success. */
export function checkProbe(probe: FieldCheck, once: boolean): void {
  if (!probe.isSet) return;
  checkHandler(probe);
  for (const field of ['initialDelaySeconds', 'timeoutSeconds', 'periodSeconds']) {
    probe.field(field).notNegative();
  }
  for (const field of ['successThreshold', 'failureThreshold']) probe.field(field).notNegative();
  const successes = probe.field('successThreshold');
  if (once && typeof successes.value === 'number' && successes.value > 1) successes.invalid('must be 1');
}

export function checkLifecycle(lifecycle: FieldCheck): void {
  for (const moment of ['postStart', 'preStop']) {
    if (lifecycle.field(moment).isSet) checkHandler(lifecycle.field(moment));
  }
}

/** compat cluster 3.13: exactly one handler, and its port; a missing port was decoded as 0. */
function checkHandler(action: FieldCheck): void {
  const given = handlers.filter((handler) => action.field(handler).isSet);
  if (given.length === 0) action.lacking('must specify a handler type');
  for (const [index, handler] of given.entries()) {
    const way = action.field(handler);
    if (index > 0) way.forbidden('may not specify more than 1 handler type');
    else if (handler === 'exec') way.field('command').required();
    else if (handler !== 'sleep') checkPort(way.field('port'));
    if (index === 0 && handler === 'httpGet') way.field('scheme').oneOf(['HTTP', 'HTTPS']);
  }
}

function checkPort(port: FieldCheck): void {
  if (typeof port.value === 'string') port.problems(portNameProblems(port.text));
  else port.port();
}
