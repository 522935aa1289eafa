import { Menu } from '@base-ui/react/menu'
import { Bike, Ellipsis, Monitor, Moon, Pencil, Plus, Sun, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { type Thread, titleOf } from './api.ts'
import { DeleteDialog, RenameDialog } from './thread-dialogs.tsx'
import { useTheme } from './use-theme.ts'
import type { Threads } from './use-threads.ts'

interface SidebarProps {
  threads: Threads
  openId: string | undefined
  onOpen: (id: string) => void
  onBegin: () => void
}

export function Sidebar({ threads, openId, onOpen, onBegin }: SidebarProps) {
  const [renaming, setRenaming] = useState<Thread>()
  const [deleting, setDeleting] = useState<Thread>()
  return (
    <div className="sidebar">
      <p className="brand">
        <Bike aria-hidden size={20} /> Fernhill Bicycles
      </p>
      <button type="button" className="button wide" onClick={onBegin}>
        <Plus aria-hidden size={16} /> New conversation
      </button>
      <nav className="threads" aria-label="Earlier conversations">
        <ul>
          {threads.list.map((thread) => (
            <li key={thread.id} className="thread" data-open={thread.id === openId || undefined}>
              <button
                type="button"
                className="thread-open"
                aria-current={thread.id === openId ? 'page' : undefined}
                onClick={() => onOpen(thread.id)}
              >
                {titleOf(thread)}
              </button>
              <Menu.Root>
                <Menu.Trigger className="icon-button small" aria-label={`Actions for ${titleOf(thread)}`}>
                  <Ellipsis aria-hidden size={16} />
                </Menu.Trigger>
                <Menu.Portal>
                  <Menu.Positioner className="menu-place" sideOffset={4} align="end">
                    <Menu.Popup className="menu">
                      <Menu.Item className="menu-item" onClick={() => setRenaming(thread)}>
                        <Pencil aria-hidden size={15} /> Rename
                      </Menu.Item>
                      <Menu.Item className="menu-item danger" onClick={() => setDeleting(thread)}>
                        <Trash2 aria-hidden size={15} /> Delete
                      </Menu.Item>
                    </Menu.Popup>
                  </Menu.Positioner>
                </Menu.Portal>
              </Menu.Root>
            </li>
          ))}
        </ul>
        {threads.list.length === 0 && (
          <p className="hint">{threads.error ?? 'Your conversations appear here. Only you can see them.'}</p>
        )}
      </nav>
      <ThemeButton />
      <RenameDialog
        thread={renaming}
        onClose={() => setRenaming(undefined)}
        onRename={(title) => (renaming ? threads.rename(renaming.id, title) : Promise.resolve())}
      />
      <DeleteDialog
        thread={deleting}
        onClose={() => setDeleting(undefined)}
        onDelete={async () => {
          if (!deleting) return
          await threads.remove(deleting.id)
          if (deleting.id === openId) onBegin()
        }}
      />
    </div>
  )
}

const THEMES = {
  system: { Icon: Monitor, label: 'System' },
  light: { Icon: Sun, label: 'Light' },
  dark: { Icon: Moon, label: 'Dark' },
} as const

function ThemeButton() {
  const { theme, next } = useTheme()
  const { Icon, label } = THEMES[theme]
  return (
    <button type="button" className="quiet-button" onClick={next} aria-label={`Theme: ${label}. Change it.`}>
      <Icon aria-hidden size={16} /> {label}
    </button>
  )
}
