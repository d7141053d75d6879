import '../parts/settings.css';
import { Segmented } from '../kit/segmented.tsx';
import { useNow } from '../kit/use-now.ts';
import { AccountsView } from '../parts/accounts-view.tsx';
import { ClustersView } from '../parts/clusters-view.tsx';
import { Frame } from '../parts/frame.tsx';
import { NotificationsView } from '../parts/notifications-view.tsx';
import { ProjectView } from '../parts/project-view.tsx';
import { ProjectsView } from '../parts/projects-view.tsx';
import { RepositoriesView } from '../parts/repositories-view.tsx';
import { SectionOpening } from '../parts/section-opening.tsx';
import { SettingsInForce } from '../parts/settings-in-force.tsx';
import { ThemeChoice } from '../parts/theme-switch.tsx';
import { CertificatesView, SigningKeysView } from '../parts/trust-view.tsx';
import { type SettingsSection, sectionPath, sections } from '../shape/address.ts';

const labels: Readonly<Record<SettingsSection, string>> = {
  projects: 'Projects',
  repos: 'Repositories',
  clusters: 'Clusters',
  accounts: 'Accounts',
  certs: 'Certificates',
  gpgkeys: 'Signing keys',
  notifications: 'Notifications',
  'in-force': 'In force',
  appearance: 'Appearance',
};

/** What an administrator looks after. Each section is an address. */
export function SettingsPage({ section, name }: { section: SettingsSection; name: string | undefined }) {
  const now = useNow(15_000);
  const title = name ?? labels[section];
  const up = { label: labels[section], ...(name && { to: sectionPath(section) }) };
  return (
    <Frame
      title={title}
      crumbs={[{ label: 'Settings', to: sectionPath('projects') }, up, ...(name ? [{ label: name }] : [])]}
    >
      <div className="page">
        <Segmented
          label="Settings"
          current={section}
          options={sections.map((one) => ({ id: one, label: labels[one], to: sectionPath(one) }))}
        />
        <SectionView section={section} name={name} now={now} />
      </div>
    </Frame>
  );
}

function SectionView({
  section,
  name,
  now,
}: {
  section: SettingsSection;
  name: string | undefined;
  now: number;
}) {
  switch (section) {
    case 'projects':
      return name ? <ProjectView name={name} now={now} /> : <ProjectsView now={now} />;
    case 'repos':
      return <RepositoriesView now={now} />;
    case 'clusters':
      return <ClustersView now={now} />;
    case 'accounts':
      return <AccountsView now={now} />;
    case 'certs':
      return <CertificatesView />;
    case 'gpgkeys':
      return <SigningKeysView />;
    case 'notifications':
      return <NotificationsView now={now} />;
    case 'in-force':
      return <SettingsInForce />;
    case 'appearance':
      return (
        <>
          <SectionOpening title="Appearance" spans={undefined} note="How this page looks in this browser." />
          <ThemeChoice />
        </>
      );
  }
}
