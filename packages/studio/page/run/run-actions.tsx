import { AlertDialog } from '@base-ui/react/alert-dialog'
import { Menu } from '@base-ui/react/menu'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Download, Ellipsis, FileCode, FileText, Repeat2, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { type Deleted, type ExportQuery, ROUTES, type RunDetail } from '../../src/wire.ts'
import { KEYS, revealed, useInfo } from '../api/queries.ts'
import { request, requestFile } from '../api/request.ts'
import { ErrorNotice } from '../parts/empty.tsx'
import { saveFile } from '../parts/save-file.ts'
import { ReplayDialog } from './replay-dialog.tsx'

interface RunActionsProps {
  run: RunDetail
  isRevealed: boolean
}

export function RunActions({ run, isRevealed }: RunActionsProps) {
  const info = useInfo()
  const [isReplaying, setReplaying] = useState(false)
  const [isDeleting, setDeleting] = useState(false)
  const save = useMutation({
    mutationFn: async (format: 'html' | 'json') => {
      const { name, content } = await requestFile(ROUTES.export, {
        params: { runId: run.id },
        query: { ...revealed(isRevealed), format } satisfies ExportQuery,
      })
      saveFile(name.includes('.') ? name : `${name}.${format}`, content)
    },
  })
  const canReplay = info.data?.mode === 'process' && run.state !== 'running'
  return (
    <>
      <button
        type="button"
        className="button"
        disabled={!canReplay}
        title={canReplay ? undefined : 'A replay needs the running process, and a run that has ended.'}
        onClick={() => setReplaying(true)}
      >
        <Repeat2 aria-hidden size={14} /> Replay
      </button>
      <Menu.Root>
        <Menu.Trigger className="button" aria-label="More actions">
          <Ellipsis aria-hidden size={16} />
        </Menu.Trigger>
        <Menu.Portal>
          <Menu.Positioner className="menu-place" sideOffset={4} align="end">
            <Menu.Popup className="menu">
              <Menu.Item className="menu-item" onClick={() => save.mutate('html')}>
                <FileText aria-hidden size={15} /> Export as HTML
              </Menu.Item>
              <Menu.Item className="menu-item" onClick={() => save.mutate('json')}>
                <FileCode aria-hidden size={15} /> Export as JSON
              </Menu.Item>
              <Menu.Item className="menu-item" onClick={() => setDeleting(true)}>
                <Trash2 aria-hidden size={15} /> Delete
              </Menu.Item>
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      </Menu.Root>
      <p role="status" className="visually-hidden">
        {save.isSuccess ? 'The run was exported.' : ''}
      </p>
      {save.isPending && <Download aria-label="Exporting" size={14} />}
      {save.error && <ErrorNotice error={save.error} />}
      <ReplayDialog run={run} isOpen={isReplaying} onClose={() => setReplaying(false)} />
      <DeleteDialog runId={run.id} isOpen={isDeleting} onClose={() => setDeleting(false)} />
    </>
  )
}

interface DeleteDialogProps {
  runId: string
  isOpen: boolean
  onClose: () => void
}

function DeleteDialog({ runId, isOpen, onClose }: DeleteDialogProps) {
  const [, go] = useLocation()
  const queries = useQueryClient()
  const remove = useMutation({
    mutationFn: () => request<Deleted>(ROUTES.delete, { params: { runId } }),
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: KEYS.runs })
      go('/')
    },
  })
  return (
    <AlertDialog.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className="backdrop" />
        <AlertDialog.Popup className="dialog stack">
          <AlertDialog.Title className="dialog-title">Delete the records of this run?</AlertDialog.Title>
          <AlertDialog.Description className="soft small">
            The run itself and its thread are not changed. The records cannot be restored.
          </AlertDialog.Description>
          {remove.error && <ErrorNotice error={remove.error} />}
          <div className="dialog-actions">
            <AlertDialog.Close className="button">Cancel</AlertDialog.Close>
            <button
              type="button"
              className="button danger"
              disabled={remove.isPending}
              onClick={() => remove.mutate()}
            >
              Delete
            </button>
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  )
}
