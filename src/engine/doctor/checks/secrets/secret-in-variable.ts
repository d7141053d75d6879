import type { Check } from '../../check.ts';
import { containersOf, listAt, podKinds, textAt } from '../../kinds.ts';

const sensitive =
  /(?:^|_)(?:PASSWORD|PASSWD|PWD|SECRET|TOKEN|API_?KEY|PRIVATE_?KEY|ACCESS_?KEY)(?:$|_(?!FILE|PATH|NAME|URL|TTL|LENGTH))/i;
const harmless = /^(?:|true|false|\d+|<.*>|\$\(.*\)|\$\{.*\})$/;

export const secretInVariable: Check = {
  id: 'secret-in-variable',
  title: 'a password is written into a variable',
  severity: 'error',
  why: 'it is in Git, in the pod and in every description of it, in clear text.',
  fix: 'take it from a Secret with valueFrom.secretKeyRef',
  reads: podKinds,
  *find(object) {
    for (const { path, container, words } of containersOf(object)) {
      for (const [at, variable] of listAt(container, ['env']).entries()) {
        const name = textAt(variable, ['name']) ?? '';
        const value = textAt(variable, ['value']);
        if (value === undefined || !sensitive.test(name) || harmless.test(value)) continue;
        yield {
          at: [...path, 'env', at, 'value'],
          message: `the variable ${name} of ${words} holds its value in clear text`,
        };
      }
    }
  },
};
