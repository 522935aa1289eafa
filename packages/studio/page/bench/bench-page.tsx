import { Tabs } from '@base-ui/react/tabs'
import { FileSpreadsheet, FlaskConicalOff, TextCursorInput } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useSearchParams } from 'wouter'
import type { BenchSurface } from '../../src/wire.ts'
import { useGuards } from '../api/queries.ts'
import { Empty, ErrorNotice, Loading } from '../parts/empty.tsx'
import { type Choices, chosenGuards } from './choices.ts'
import { GuardPicker } from './guard-picker.tsx'
import { TableBench } from './table-bench.tsx'
import { TextBench } from './text-bench.tsx'

const SURFACES: Readonly<Record<BenchSurface, string>> = {
  input: 'a user message',
  'tool-result': 'a tool result',
  answer: 'a model answer',
}

/** Tries guards on texts. */
export function BenchPage() {
  const guards = useGuards()
  const [parameters, setParameters] = useSearchParams()
  const [choices, setChoices] = useState<Choices>({})
  const [surface, setSurface] = useState<BenchSurface>('input')
  const view = parameters.get('view') === 'file' ? 'file' : 'text'
  const list = useMemo(() => guards.data?.guards ?? [], [guards.data])
  const chosen = useMemo(() => chosenGuards(list, choices), [list, choices])
  return (
    <div className="page">
      <div className="page-head">
        <h1 className="page-title">Bench</h1>
        <p className="soft small">Nothing is recorded, and no text leaves this machine.</p>
      </div>
      {guards.error && <ErrorNotice error={guards.error} onRetry={() => void guards.refetch()} />}
      {guards.isPending && <Loading label="Loading guards" />}
      {guards.isSuccess && list.length === 0 && (
        <Empty Icon={FlaskConicalOff} title="No guards installed">
          <p>
            Install <code>@millrace/guards</code> or <code>@millrace/pii</code> to try guards here.
          </p>
        </Empty>
      )}
      {list.length > 0 && (
        <div className="bench">
          <aside className="bench-side stack" aria-label="Guards">
            <label className="field">
              The text is
              <select
                className="select"
                value={surface}
                onChange={({ target }) => setSurface(target.value as BenchSurface)}
              >
                {Object.entries(SURFACES).map(([value, label]) => (
                  <option key={value} value={value}>
                    {label}
                  </option>
                ))}
              </select>
            </label>
            <GuardPicker guards={list} choices={choices} onChange={setChoices} />
          </aside>
          <Tabs.Root
            className="bench-main"
            value={view}
            onValueChange={(value) =>
              setParameters(value === 'file' ? { view: 'file' } : {}, { replace: true })
            }
          >
            <Tabs.List className="tabs" aria-label="Text or file">
              <Tabs.Tab value="text" className="tab">
                <TextCursorInput aria-hidden size={14} /> A text
              </Tabs.Tab>
              <Tabs.Tab value="file" className="tab">
                <FileSpreadsheet aria-hidden size={14} /> File with texts
              </Tabs.Tab>
            </Tabs.List>
            <Tabs.Panel value="text" className="bench-panel" keepMounted>
              <TextBench guards={list} chosen={chosen} surface={surface} />
            </Tabs.Panel>
            <Tabs.Panel value="file" className="bench-panel" keepMounted>
              <TableBench guards={list} chosen={chosen} surface={surface} />
            </Tabs.Panel>
          </Tabs.Root>
        </div>
      )}
    </div>
  )
}
