import { AlertDialog } from '@base-ui/react/alert-dialog'
import { Dialog } from '@base-ui/react/dialog'
import { type SubmitEvent, useState } from 'react'
import { type Thread, titleOf } from './api.ts'

interface ThreadDialogProps {
  /** The dialog is open if there is one. */
  thread: Thread | undefined
  onClose: () => void
}

/** Runs the action of a dialog: closes it on success, and keeps the error. */
function useAction(onClose: () => void): { error: string | undefined; run: (action: Promise<void>) => void } {
  const [error, setError] = useState<string>()
  return {
    error,
    run: (action) =>
      void action.then(
        () => {
          setError(undefined)
          onClose()
        },
        (cause: unknown) => setError(cause instanceof Error ? cause.message : String(cause)),
      ),
  }
}

export function RenameDialog({
  thread,
  onClose,
  onRename,
}: ThreadDialogProps & { onRename: (title: string) => Promise<void> }) {
  const { error, run } = useAction(onClose)
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    const title = String(new FormData(event.currentTarget).get('title')).trim()
    if (title !== '') run(onRename(title))
  }
  return (
    <Dialog.Root open={thread !== undefined} onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="dialog">
          <Dialog.Title className="dialog-title">Rename the conversation</Dialog.Title>
          <form onSubmit={submit}>
            <label className="field">
              Title
              <input
                name="title"
                className="input"
                maxLength={200}
                required
                defaultValue={thread?.title ?? ''}
                autoComplete="off"
              />
            </label>
            {error !== undefined && <p role="alert">{error}</p>}
            <div className="dialog-actions">
              <Dialog.Close className="button">Cancel</Dialog.Close>
              <button type="submit" className="button primary">
                Rename
              </button>
            </div>
          </form>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

export function DeleteDialog({
  thread,
  onClose,
  onDelete,
}: ThreadDialogProps & { onDelete: () => Promise<void> }) {
  const { error, run } = useAction(onClose)
  return (
    <AlertDialog.Root open={thread !== undefined} onOpenChange={(open) => !open && onClose()}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className="backdrop" />
        <AlertDialog.Popup className="dialog">
          <AlertDialog.Title className="dialog-title">Delete the conversation?</AlertDialog.Title>
          <AlertDialog.Description className="dialog-text">
            “{thread && titleOf(thread)}” is deleted with all its messages. This cannot be undone.
          </AlertDialog.Description>
          {error !== undefined && <p role="alert">{error}</p>}
          <div className="dialog-actions">
            <AlertDialog.Close className="button">Cancel</AlertDialog.Close>
            <button type="button" className="button danger" onClick={() => run(onDelete())}>
              Delete
            </button>
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  )
}
