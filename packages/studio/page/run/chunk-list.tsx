import { useQueries } from '@tanstack/react-query'
import { useVirtualizer } from '@tanstack/react-virtual'
import { Rows3 } from 'lucide-react'
import { useRef, useState } from 'react'
import type { ChunksPage, ChunkView, RunDetail } from '../../src/wire.ts'
import { CHUNKS_AT_ONCE, KEYS, readChunks } from '../api/queries.ts'
import { formatDuration, plural } from '../format/numbers.ts'
import { Empty, ErrorNotice, Loading } from '../parts/empty.tsx'
import { JsonView } from '../parts/text-view.tsx'

const ROW = 32

interface ChunkListProps {
  run: RunDetail
  isRevealed: boolean
}

/** The chunks as the reader got them. Pages are fetched when they scroll into view. */
export function ChunkList({ run, isRevealed }: ChunkListProps) {
  const frame = useRef<HTMLDivElement>(null)
  const [selected, setSelected] = useState<number>()
  const [total, setTotal] = useState<number>()
  const rows = useVirtualizer({
    count: total ?? 0,
    getScrollElement: () => frame.current,
    estimateSize: () => ROW,
    overscan: 20,
  })
  const items = rows.getVirtualItems()
  const pages = pagesOf(items[0]?.index ?? 0, items.at(-1)?.index ?? 0)
  const read = useQueries({
    queries: pages.map((page) => ({
      queryKey: KEYS.chunks(run.id, isRevealed, page),
      queryFn: ({ signal }: { signal: AbortSignal }) => readChunks(run.id, isRevealed, page, signal),
      refetchInterval: run.state === 'running' ? 1_000 : (false as const),
    })),
  })
  const known = read.reduce((most, { data }) => Math.max(most, data?.total ?? 0), total ?? 0)
  if (known !== total && read.some(({ data }) => data)) setTotal(known)
  const chunks = new Map(
    read.flatMap(({ data }: { data: ChunksPage | undefined }) =>
      (data?.chunks ?? []).map((chunk) => [chunk.seq, chunk] as const),
    ),
  )
  const error = read.find((each) => each.error)?.error
  const chunk = selected === undefined ? undefined : chunks.get(selected)

  return (
    <div className="chunks">
      {error && <ErrorNotice error={error} onRetry={() => read.forEach((each) => void each.refetch())} />}
      {total === undefined && !error && <Loading label="Loading chunks" />}
      {total === 0 && (
        <Empty Icon={Rows3} title="No chunks emitted">
          <p>The run ended before it emitted a chunk.</p>
        </Empty>
      )}
      {total !== undefined && total > 0 && <p className="soft small">{plural(total, 'chunk')}</p>}
      <div ref={frame} className="chunk-frame" hidden={!total}>
        <ol className="chunk-space" style={{ height: rows.getTotalSize() }}>
          {items.map(({ key, index, start }) => (
            <li key={key} className="chunk-place" style={{ transform: `translateY(${start}px)` }}>
              <ChunkRow
                chunk={chunks.get(index)}
                index={index}
                isSelected={index === selected}
                onSelect={() => setSelected(index === selected ? undefined : index)}
              />
            </li>
          ))}
        </ol>
      </div>
      {chunk && (
        <section className="chunk-detail" aria-label={`Chunk ${chunk.seq}`}>
          <h2 className="small">
            {chunk.type} <span className="soft number">after {formatDuration(chunk.atMs)}</span>
          </h2>
          <JsonView text={chunk.value} />
        </section>
      )}
    </div>
  )
}

/** The pages with the given rows. */
function pagesOf(first: number, last: number): number[] {
  const from = Math.floor(first / CHUNKS_AT_ONCE)
  return Array.from({ length: Math.floor(last / CHUNKS_AT_ONCE) - from + 1 }, (_, index) => from + index)
}

/** The beginning of a value on one row. Line breaks of texts are made visible, those of JSON removed. */
function onOneLine(text: string): string {
  return text.slice(0, 300).replace(/\r?\n\s*/g, /^[{[]/.test(text) ? ' ' : '↵')
}

interface ChunkRowProps {
  chunk: ChunkView | undefined
  index: number
  isSelected: boolean
  onSelect: () => void
}

function ChunkRow({ chunk, index, isSelected, onSelect }: ChunkRowProps) {
  return (
    <button
      type="button"
      className="chunk-row"
      aria-pressed={isSelected}
      disabled={!chunk}
      onClick={onSelect}
    >
      <span className="number soft">{index}</span>
      <span className="number soft chunk-time">{chunk && formatDuration(chunk.atMs)}</span>
      <span className="chunk-type cut">{chunk?.type ?? '…'}</span>
      <span className="chunk-value cut">{chunk && onOneLine(chunk.value.text)}</span>
    </button>
  )
}
