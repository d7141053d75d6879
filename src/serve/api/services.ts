import { accounts } from './accounts.ts';
import { applicationSets } from './application-sets.ts';
import { applications } from './applications.ts';
import { clusters } from './clusters.ts';
import { knative } from './knative.ts';
import { notifications } from './notifications.ts';
import { projects } from './projects.ts';
import { repositories, templates, writeRepositories, writeTemplates } from './repositories.ts';
import { session } from './session.ts';
import { settings } from './settings.ts';
import { certificates, gpgKeys } from './trust.ts';

/** Every endpoint there is: a service that is not here is not tested for its permissions. */
export const services = {
  session,
  accounts,
  projects,
  clusters,
  certificates,
  gpgKeys,
  settings,
  notifications,
  knative,
  repositories,
  writeRepositories,
  templates,
  writeTemplates,
  applications,
  applicationSets,
};
