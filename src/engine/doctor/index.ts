/**
 * doctor: what is wrong, or will be, with manifests and with an installation.
 *
 * `diagnoseFiles` examines a tree of files, `diagnoseLive` the objects of an installation, `targetWarnings` what an
 * application has just rendered. Each check is data and one function (`check.ts`); all of them stand in `checks.ts`.
 *
 * Promises
 * (1) Pure: the caller reads the files, renders the kustomizations and lists the objects.
 * (2) Every finding of files has a file and a line. A fault of a rendered object is reported where its value is written: in the
 *     patch or the base that has it, else at the field of the kustomization that causes it, else at the kustomization.
 * (3) An edit is safe: the cluster gets the same object, or accepts one that it refuses now; no other byte of the file changes.
 * (4) No message contains a value of a Secret or of a variable that may be one.
 * (5) One pass: every object is read once by the checks of its kind, and a layout of a file is made only where it has a finding.
 */
export type { Check, Severity } from './check.ts';
export { checks } from './checks.ts';
export {
  type Diagnosis,
  type DoctorFinding,
  type DoctorRender,
  diagnoseFiles,
  diagnoseLive,
} from './diagnose.ts';
export { targetWarnings } from './examine.ts';
export { type DoctorFile, isKustomization, kustomizationRoots, readDoctorFile } from './files.ts';
