/** The end of a dialog that looks before it acts: what can be done now, and the way out, which is closed while something is written. */
import type { ReactNode } from 'react';
import { Button } from '../../components/button.js';

interface DialogEndProps {
  /** What the way out is called. */
  readonly out: string;
  readonly isWriting: boolean;
  readonly onClose: () => void;
  /** What can be done now. */
  readonly children: ReactNode;
}

export function DialogEnd({ out, isWriting, onClose, children }: DialogEndProps) {
  return (
    <div className="actions">
      {children}
      <Button isDisabled={isWriting} onPress={onClose}>
        {out}
      </Button>
    </div>
  );
}
