/** A dialog over the page, which keeps the page as it is. */
import type { ReactNode } from 'react';
import { Dialog as AriaDialog } from 'react-aria-components/Dialog';
import { Heading } from 'react-aria-components/Heading';
import { Modal, ModalOverlay } from 'react-aria-components/Modal';

interface DialogProps {
  readonly title: string;
  readonly isOpen: boolean;
  /** Undefined: it cannot be left without an answer. */
  readonly onClose?: (() => void) | undefined;
  /** For tables. */
  readonly isWide?: boolean;
  readonly children: ReactNode;
}

export function Dialog({ title, isOpen, onClose, isWide = false, children }: DialogProps) {
  return (
    <ModalOverlay
      className="dialog-ground"
      isOpen={isOpen}
      onOpenChange={(open) => open || onClose?.()}
      isDismissable={onClose !== undefined}
      isKeyboardDismissDisabled={onClose === undefined}
    >
      <Modal className={isWide ? 'dialog-frame wide' : 'dialog-frame'}>
        <AriaDialog className="dialog">
          <Heading slot="title">{title}</Heading>
          {children}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}
