import { accountRows } from './accounts.ts';
import { applicationSetRows } from './application-sets.ts';
import { applicationRows } from './applications.ts';
import { clusterRows } from './clusters.ts';
import { projectRows } from './projects.ts';
import { repositoryRows } from './repositories.ts';
import type { RowTable } from './row.ts';
import { settingsRows } from './settings.ts';
import { trustRows } from './trust.ts';

/** Every route of the API, and who may call it. */
export const routeTable: RowTable = {
  ...accountRows,
  ...projectRows,
  ...clusterRows,
  ...trustRows,
  ...settingsRows,
  ...repositoryRows,
  ...applicationRows,
  ...applicationSetRows,
};
