/** The cluster, and where the API listens; what is left out is chosen as kubectl chooses it. */
type CoreWish = {
  readonly namespace?: string | undefined;
  readonly context?: string | undefined;
  readonly kubeconfig?: string | undefined;
  readonly port?: string;
  readonly host?: string;
};

/** The API in this process, on the cluster of a kubeconfig; `main` provides it. */
export type OpenCore = (
  wish: CoreWish,
) => Promise<{ readonly url: string; readonly token: string; close(): Promise<void> }>;
