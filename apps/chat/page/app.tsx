import { Dialog } from '@base-ui/react/dialog'
import { Menu as MenuIcon, SquarePen, X } from 'lucide-react'
import { useState } from 'react'
import { Conversation } from './conversation.tsx'
import { Sidebar } from './sidebar.tsx'
import { useRoute } from './use-route.ts'
import { useThreads } from './use-threads.ts'

export function App() {
  const route = useRoute()
  const threads = useThreads()
  const [isListOpen, setListOpen] = useState(false)
  const { title } = threads.list.find(({ id }) => id === route.threadId) ?? {}

  const sidebar = (
    <Sidebar
      threads={threads}
      openId={route.isNamed ? route.threadId : undefined}
      onOpen={(id) => {
        route.open(id)
        setListOpen(false)
      }}
      onBegin={() => {
        route.begin()
        setListOpen(false)
      }}
    />
  )
  return (
    <div className="app">
      <aside className="aside" aria-label="Conversations">
        {sidebar}
      </aside>
      <div className="main">
        <header className="bar">
          <Dialog.Root open={isListOpen} onOpenChange={setListOpen}>
            <Dialog.Trigger className="icon-button narrow-only" aria-label="Show conversations">
              <MenuIcon aria-hidden size={20} />
            </Dialog.Trigger>
            <Dialog.Portal>
              <Dialog.Backdrop className="backdrop" />
              <Dialog.Popup className="drawer">
                <Dialog.Title className="visually-hidden">Conversations</Dialog.Title>
                <Dialog.Close className="icon-button drawer-close" aria-label="Hide conversations">
                  <X aria-hidden size={20} />
                </Dialog.Close>
                {sidebar}
              </Dialog.Popup>
            </Dialog.Portal>
          </Dialog.Root>
          <h1 className="bar-title">{title ?? 'New conversation'}</h1>
          <button
            type="button"
            className="icon-button narrow-only"
            aria-label="New conversation"
            onClick={route.begin}
          >
            <SquarePen aria-hidden size={18} />
          </button>
        </header>
        <Conversation
          key={route.threadId}
          threadId={route.threadId}
          isNew={!route.isNamed}
          onBegun={route.name}
          onChanged={threads.refresh}
        />
      </div>
    </div>
  )
}
