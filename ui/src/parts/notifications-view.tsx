import './notifications.css';
import type { NotificationConfigView } from '#serve/api';
import { useDeliveries, useNotificationConfig } from '../data/use-notifications.ts';
import { DataTable } from '../kit/data-table.tsx';
import { useAddress, withQuery } from '../kit/location.ts';
import { Segmented } from '../kit/segmented.tsx';
import { TabPanel, Tabs } from '../kit/tabs.tsx';
import { deliverySentence, isUndelivered } from '../shape/deliveries.ts';
import {
  beginning,
  beginningAnnotation,
  configNotices,
  configSentence,
  defaultTriggersOf,
  subscriptionRows,
  templateText,
} from '../shape/notification-config.ts';
import { say } from '../shape/span.ts';
import { DeliveryList } from './delivery-list.tsx';
import { Listed } from './listed.tsx';
import { Notices } from './notices.tsx';
import { NotificationRehearsal } from './notification-rehearsal.tsx';
import { SectionOpening } from './section-opening.tsx';
import { YamlView } from './yaml-view.tsx';

const tabs = ['deliveries', 'preview', 'services', 'triggers', 'templates', 'subscriptions'] as const;
type NotificationTab = (typeof tabs)[number];

/** Who is notified of what: the log, a rehearsal, and the configuration as it is in force. */
export function NotificationsView({ now }: { now: number }) {
  const address = useAddress();
  const tab = tabs.find((one) => one === address.query.get('tab')) ?? 'deliveries';
  const { data } = useDeliveries(undefined, String(Math.floor(now / 15_000)));
  return (
    <>
      <SectionOpening
        title="Notifications"
        note="Who is notified of what, and what became of the last messages."
        spans={data && [say(deliverySentence(data))]}
      />
      <div className="application-tabs">
        <Tabs
          label="Views"
          current={tab}
          tabs={tabs.map((id) => ({
            id,
            label: `${id.charAt(0).toUpperCase()}${id.slice(1)}`,
            to: withQuery({ tab: id === 'deliveries' ? undefined : id }, address),
          }))}
        />
      </div>
      <TabPanel id={tab}>
        {tab === 'deliveries' && <Deliveries now={now} />}
        {tab === 'preview' && <NotificationRehearsal now={now} />}
        {tab !== 'deliveries' && tab !== 'preview' && <Configured tab={tab} />}
      </TabPanel>
    </>
  );
}

function Deliveries({ now }: { now: number }) {
  const address = useAddress();
  const loaded = useDeliveries(undefined, String(Math.floor(now / 15_000)));
  const isNarrowed = address.query.get('only') === 'failed';
  const { data } = loaded;
  if (data?.length === 0) return <FirstNotification />;
  const shown = data && isNarrowed ? { ...loaded, data: data.filter(isUndelivered) } : loaded;
  return (
    <>
      <div className="delivery-filter">
        <Segmented
          label="Which deliveries"
          current={isNarrowed ? 'failed' : 'all'}
          options={[
            { id: 'all', label: 'All', to: withQuery({ only: undefined }, address) },
            { id: 'failed', label: 'Not delivered', to: withQuery({ only: 'failed' }, address) },
          ]}
        />
      </div>
      {isNarrowed && shown.data?.length === 0 ? (
        <p className="none-left">Every one of the last notifications was delivered.</p>
      ) : (
        <DeliveryList deliveries={shown} now={now} />
      )}
      <p className="faint">The last 200 are kept.</p>
    </>
  );
}

/** The empty state: what makes a first message. */
function FirstNotification() {
  return (
    <div className="first-notification">
      <p className="delivery-sentence">
        No notification has been sent yet. A service and a subscription are enough: the usual triggers and
        templates are built in.
      </p>
      <h3>A service, in the control plane’s namespace</h3>
      <YamlView text={beginning} label="the service" />
      <h3>A subscription, on an Application or an AppProject</h3>
      <YamlView text={beginningAnnotation} label="the subscription" />
    </div>
  );
}

function Configured({ tab }: { tab: Exclude<NotificationTab, 'deliveries' | 'preview'> }) {
  const list = useNotificationConfig();
  return (
    <Listed what="configuration of notifications" list={list}>
      {(config) => (
        <>
          <p className="delivery-sentence">{configSentence(config)}</p>
          <Notices notices={configNotices(config)} />
          {tab === 'services' && <Services config={config} />}
          {tab === 'triggers' && <Triggers config={config} />}
          {tab === 'templates' && <Templates config={config} />}
          {tab === 'subscriptions' && <Subscriptions config={config} />}
        </>
      )}
    </Listed>
  );
}

type ConfigProps = { config: NotificationConfigView };

function Services({ config }: ConfigProps) {
  return (
    <DataTable
      caption="Services"
      rows={config.services}
      keyOf={({ name }) => name}
      none="No service is configured. Each is a key service.<type> of argocd-notifications-cm."
      columns={[
        { label: 'Service', width: '26%', cell: ({ name }) => name },
        { label: 'Type', width: '20%', cell: ({ type }) => type },
        {
          label: 'Triggers of a subscription that names none',
          cell: ({ name }) => defaultTriggersOf(config, name) || <span className="faint">none</span>,
        },
        {
          label: 'Set by',
          width: '26%',
          cell: ({ name, type }) => <code>service.{name === type ? type : `${type}.${name}`}</code>,
        },
      ]}
    />
  );
}

const origin = (isBuiltIn: boolean) => (isBuiltIn ? <span className="faint">built in</span> : 'ConfigMap');

function Triggers({ config: { triggers } }: ConfigProps) {
  return (
    <DataTable
      caption="Triggers"
      rows={triggers}
      keyOf={({ name }) => name}
      none=""
      columns={[
        { label: 'Trigger', width: '20%', cell: ({ name }) => name },
        {
          label: 'Sends, and when',
          cell: ({ conditions }) => (
            <ul className="conditions">
              {conditions.map(({ when, send, oncePer, description }) => (
                <li key={when}>
                  {description && <small className="block">{description}</small>}
                  {send.join(', ')} when <code>{when}</code>
                  {oncePer && (
                    <small className="block">
                      once for each <code>{oncePer}</code>
                    </small>
                  )}
                </li>
              ))}
            </ul>
          ),
        },
        { label: 'From', width: '96px', cell: ({ isBuiltIn }) => origin(isBuiltIn) },
      ]}
    />
  );
}

function Templates({ config: { templates } }: ConfigProps) {
  return (
    <ul className="messages">
      {templates.map(({ name, isBuiltIn, text }) => (
        <li key={name}>
          <details className="message">
            <summary>
              <b>{name}</b> {origin(isBuiltIn)}
            </summary>
            <YamlView text={templateText(text)} label={`template ${name}`} />
          </details>
        </li>
      ))}
    </ul>
  );
}

function Subscriptions({ config }: ConfigProps) {
  return (
    <>
      <DataTable
        caption="Subscriptions of the configuration"
        rows={subscriptionRows(config)}
        keyOf={({ key }) => key}
        none="The configuration subscribes no application; annotations of Applications and AppProjects do."
        columns={[
          { label: 'Destination', width: '34%', cell: ({ to }) => to },
          { label: 'Triggers', width: '33%', cell: ({ triggers }) => triggers },
          { label: 'Applications', cell: ({ of }) => of },
        ]}
      />
      <p className="faint">
        An application’s own subscriptions, and those of its project, are on its page under Notifications.
      </p>
    </>
  );
}
