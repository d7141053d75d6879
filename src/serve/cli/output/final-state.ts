import type { Application } from '#base/model';
import { applicationFacts, operationFacts, resourceHead, resourceRows } from './print.ts';
import { table } from './table.ts';

/** compat server §8.4: what a command that waited leaves on the screen: the application, its last operation and its resources. */
export function finalState(app: Application, origin: string): string {
  const operation = operationFacts(app);
  const parts = [applicationFacts(app, origin), operation, table(resourceHead, resourceRows(app))];
  return `\n${parts.filter((part) => part !== '').join('\n')}`;
}
