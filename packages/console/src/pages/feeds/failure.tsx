/** Why a connection or a run has failed: in words, with what to do, and with what the API says of it. */
import { useFailureText } from './feed-state.js';

export function Failure({ failure }: { readonly failure: { readonly code: string; readonly message: string } }) {
  const said = useFailureText()(failure.code);
  return (
    <>
      {said === undefined ? null : <p>{said}</p>}
      <p className="said small" lang="en">
        {failure.code}: {failure.message}
      </p>
    </>
  );
}
