import { type NotificationConfig, notificationNames } from './config.ts';
import type { NotificationProblem } from './message.ts';

export const unknownTrigger = ({ triggers }: NotificationConfig, trigger: string): NotificationProblem => ({
  severity: 'error',
  key: `trigger.${trigger}`,
  message: `there is no trigger ${trigger}; there are ${listed([...triggers.keys()])}`,
});

export const unknownService = (
  { services, topic }: NotificationConfig,
  service: string,
): NotificationProblem => ({
  severity: 'error',
  key: `service.${service}`,
  message: `there is no usable service ${service}; ${services.size === 0 ? `none is configured in ${notificationNames[topic].cm}` : `there are ${listed([...services.keys()])}`}`,
});

const listed = (names: readonly string[]): string =>
  names.length > 10 ? `${names.slice(0, 10).join(', ')} and ${names.length - 10} more` : names.join(', ');

/** A service or trigger that one of the configurations has is no problem of the others. */
export function knownSomewhere(
  problems: readonly NotificationProblem[],
  configs: readonly NotificationConfig[],
): readonly NotificationProblem[] {
  if (configs.length < 2) return problems;
  return problems.filter(({ key, severity }) => {
    const [kind, name = ''] = [key.slice(0, key.indexOf('.')), key.slice(key.indexOf('.') + 1)];
    if (severity !== 'error') return true;
    if (kind === 'service') return !configs.some(({ services }) => services.has(name));
    return kind !== 'trigger' || !configs.some(({ triggers }) => triggers.has(name));
  });
}
