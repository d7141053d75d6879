import './settings.css';
import type { Application } from '#base/model';
import type { AppRef } from '../data/use-application.ts';
import { useDeliveries } from '../data/use-notifications.ts';
import { Link } from '../kit/link.tsx';
import { sectionPath } from '../shape/address.ts';
import { DeliveryList } from './delivery-list.tsx';
import { NotificationMessages } from './notification-messages.tsx';
import { SubscriptionEditor } from './subscription-editor.tsx';

/** The notifications about one application: what became of the last ones, and what would be sent now. */
export function ApplicationNotifications({
  app,
  place,
  now,
}: {
  app: Application;
  place: AppRef;
  now: number;
}) {
  const version = app.metadata.resourceVersion ?? '';
  // a failed try changes nothing on the application
  const deliveries = useDeliveries(place, `${version} ${Math.floor(now / 10_000)}`);
  return (
    <>
      <section className="section" aria-labelledby="notified">
        <h2 id="notified">Deliveries</h2>
        <DeliveryList deliveries={deliveries} now={now} hasApplication />
      </section>
      <section className="section" aria-labelledby="subscribed">
        <h2 id="subscribed">Subscriptions, and their messages as of now</h2>
        <SubscriptionEditor app={app} place={place} />
        <NotificationMessages place={place} rehearsal={{}} version={version} now={now} />
        <p>
          Other triggers and templates can be{' '}
          <Link
            to={`${sectionPath('notifications')}?tab=preview&app=${place.namespace}/${place.name}`}
            className="textlink"
          >
            rehearsed in the settings
          </Link>
          .
        </p>
      </section>
    </>
  );
}
