import { applicationObject } from '#engine';
import type { DeliveryView } from '#serve/api';
import type { MethodCall } from '../../rest/request.ts';
import type { MethodDeps } from '../deps.ts';
import type { NotificationDeps } from './notification-deps.ts';

/** The last deliveries about the applications that the caller may get. */
export function deliveries(
  deps: NotificationDeps & MethodDeps,
  { permissions, query }: MethodCall,
): { items: readonly DeliveryView[] } {
  permissions.waive(); // each record is checked
  const [application, wanted] = [query.get('application'), query.get('appNamespace')];
  const items = deps.notifications
    .deliveries()
    .filter((one) => !application || one.application === application)
    .filter(({ namespace }) => !wanted || namespace === wanted)
    .filter(({ project, namespace, application: name }) => {
      const object = applicationObject({ project, namespace, name }, deps.context.namespace);
      return permissions.may({ resource: 'applications', action: 'get', object });
    });
  return { items };
}
