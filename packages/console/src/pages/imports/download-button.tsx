/** Saves a file of a job: its address is signed, so that the browser can load it itself. */
import { type ReactNode, useState } from 'react';
import { Button } from '../../components/button.js';
import { ErrorPanel } from '../../components/error-panel.js';
import { ownAddress } from '../../session/own-address.js';
import { useApi } from '../../session/session-context.js';

interface DownloadButtonProps {
  readonly id: string;
  /** What it is called among others. */
  readonly name?: string;
  readonly children: ReactNode;
}

export function DownloadButton({ id, name, children }: DownloadButtonProps) {
  const api = useApi();
  const [error, setError] = useState<unknown>();
  const download = async () => {
    setError(undefined);
    try {
      const { location } = await api.getDownloadUrl({ id });
      const link = document.createElement('a');
      link.href = ownAddress(location);
      link.download = '';
      link.click();
    } catch (failure) {
      setError(failure);
    }
  };
  return (
    <>
      <Button icon="download" {...(name !== undefined && { 'aria-label': name })} onPress={() => void download()}>
        {children}
      </Button>
      {error === undefined ? null : <ErrorPanel error={error} />}
    </>
  );
}
