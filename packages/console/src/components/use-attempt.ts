/** What a page does when somebody asks for it: whether it is under way, and why it has failed. */
import { useState } from 'react';

export function useAttempt() {
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  /** Does it. What it throws is the error until the next attempt. */
  const attempt = async (act: () => Promise<unknown>): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      await act();
    } catch (failure) {
      setError(failure);
    }
    setBusy(false);
  };
  return { attempt, error, isBusy };
}
