import { MessageSquareDashed, Plus, Unplug } from 'lucide-react'
import { useState, useSyncExternalStore } from 'react'
import { useLocation } from 'wouter'
import type { Info } from '../../src/wire.ts'
import { useInfo } from '../api/queries.ts'
import { Empty, ErrorNotice, Loading } from '../parts/empty.tsx'
import { Composer } from './composer.tsx'
import { conversationWith } from './conversation.ts'
import { TurnList } from './turn-list.tsx'

/** Chats with an agent of the recording process. */
export function ChatPage({ agentName }: { agentName: string | undefined }) {
  const info = useInfo()
  const agent = info.data?.agents.find(({ name }) => name === agentName) ?? info.data?.agents[0]
  if (!info.data || !agent || info.data.mode === 'file') {
    return (
      <div className="page">
        <div className="page-head">
          <h1 className="page-title">Chat</h1>
        </div>
        {info.error && <ErrorNotice error={info.error} onRetry={() => void info.refetch()} />}
        {info.isPending && <Loading label="Loading agents" />}
        {info.data && (
          <Empty Icon={Unplug} title="No agents">
            <p>
              {info.data.mode === 'file'
                ? 'Studio reads a file, so it has no agents. To chat, open Studio from the process that runs them.'
                : 'Pass an agent to studio() to chat with it here.'}
            </p>
          </Empty>
        )}
      </div>
    )
  }
  return <Talk key={agent.name} agent={agent.name} info={info.data} />
}

function Talk({ agent, info }: { agent: string; info: Info }) {
  const [, go] = useLocation()
  const conversation = conversationWith(agent)
  const { turns, isBusy } = useSyncExternalStore(conversation.subscribe, conversation.getState)
  const [model, setModel] = useState('')
  const [processors, setProcessors] = useState('')
  return (
    <div className="page chat-page">
      <div className="page-head">
        <h1 className="page-title">Chat</h1>
        <div className="row">
          <select
            className="select"
            aria-label="Agent"
            value={agent}
            onChange={({ target }) => go(`/chat/${encodeURIComponent(target.value)}`)}
          >
            {info.agents.map(({ name }) => (
              <option key={name}>{name}</option>
            ))}
          </select>
          {info.models.length > 0 && (
            <select
              className="select"
              aria-label="Model"
              value={model}
              onChange={({ target }) => setModel(target.value)}
            >
              <option value="">Default model</option>
              {info.models.map((name) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          )}
          {info.processorSets.length > 0 && (
            <select
              className="select"
              aria-label="Processors"
              value={processors}
              onChange={({ target }) => setProcessors(target.value)}
            >
              <option value="">Default processors</option>
              {info.processorSets.map(({ name }) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          )}
          <button
            type="button"
            className="button"
            disabled={turns.length === 0}
            onClick={() => conversation.clear()}
          >
            <Plus aria-hidden size={14} /> New
          </button>
        </div>
      </div>
      {turns.length === 0 ? (
        <div className="talk">
          <Empty Icon={MessageSquareDashed} title={`Ask ${agent} something`}>
            <p>Each answer is recorded as a run, with a link to it.</p>
          </Empty>
        </div>
      ) : (
        <TurnList turns={turns} isBusy={isBusy} onResumed={(runId) => void conversation.follow(runId)} />
      )}
      <Composer
        isBusy={isBusy}
        onSend={(text) =>
          void conversation.ask({
            text,
            ...(model !== '' && { model }),
            ...(processors !== '' && { processors }),
          })
        }
      />
    </div>
  )
}
