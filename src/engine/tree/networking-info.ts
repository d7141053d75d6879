export type NetworkingRef = {
  readonly group?: string;
  readonly kind: string;
  readonly namespace?: string;
  /** Absent: every object of the kind that the labels select. */
  readonly name?: string;
};
export type LoadBalancerAddress = { readonly hostname?: string; readonly ip?: string };
/** How an object takes part in traffic, as a node of the tree reports it. */
export type NetworkingInfo = {
  readonly targetLabels?: Readonly<Record<string, string>>;
  readonly targetRefs?: readonly NetworkingRef[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly ingress?: readonly LoadBalancerAddress[];
  readonly externalURLs?: readonly string[];
};
