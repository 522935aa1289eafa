import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type {
  ChangeView,
  ModelNode,
  Outcome,
  ProcessorNode,
  RunDetail,
  ToolCallView,
} from '../../src/wire.ts'
import {
  formatCost,
  formatCount,
  formatDuration,
  formatPercent,
  plural,
  tokenTotal,
} from '../format/numbers.ts'
import { Difference } from '../parts/difference.tsx'
import { Badge } from '../parts/outcome.tsx'
import { JsonView, TextView } from '../parts/text-view.tsx'
import type { PlacedNode } from './find-node.ts'
import { hookText } from './hooks.ts'
import { MessageList } from './message-list.tsx'
import { lookOf, nameOf } from './node-list.tsx'
import { addressOf } from './run-links.tsx'

interface NodeDetailProps {
  placed: PlacedNode
  run: RunDetail
}

/** The details of one node. */
export function NodeDetail({ placed: { node, step }, run }: NodeDetailProps) {
  const call =
    node.kind === 'tool'
      ? step?.toolCalls.find(({ toolCallId }) => toolCallId === node.toolCallId)
      : undefined
  return (
    <div className="detail stack">
      <header className="stack detail-head">
        <p className="soft small">
          {step ? `Step ${step.stepNumber + 1}` : 'Outside of steps'} · after {formatDuration(node.atMs)}
        </p>
        <div className="row">
          <h2 className="detail-title">{nameOf(node, call)}</h2>
          <Badge look={lookOf(node, call)} />
        </div>
      </header>
      {node.kind === 'processor' && <ProcessorDetail node={node} isRevealed={run.revealed} />}
      {node.kind === 'model' && <ModelDetail node={node} step={step} />}
      {node.kind === 'tool' &&
        (call ? <CallDetail call={call} /> : <p className="soft small">The call was not recorded.</p>)}
    </div>
  )
}

function ProcessorDetail({ node, isRevealed }: { node: ProcessorNode; isRevealed: boolean }) {
  return (
    <>
      <dl className="facts">
        <dt>Hook</dt>
        <dd>
          <span className="code">{node.hook}</span>
          <br />
          <span className="soft">{hookText(node.hook)}</span>
        </dd>
        <dt>Time</dt>
        <dd className="number">
          {formatDuration(node.durationMs)} in {plural(node.calls, 'call')}
        </dd>
        {node.models.map(({ modelId, calls, usage, cost }) => (
          <Fact key={modelId} label="Asked">
            {modelId}, {plural(calls, 'time')}
            {tokenTotal(usage) !== undefined && `, ${formatCount(tokenTotal(usage) ?? 0)} tokens`}
            {cost && `, ${formatCost(cost)}`}
          </Fact>
        ))}
      </dl>
      {node.findings.length > 0 && (
        <section className="stack" aria-label="Findings">
          <h3>{plural(node.findings.length, 'finding')}</h3>
          <ul className="findings">
            {node.findings.map(({ kind, score, surface, source }, index) => (
              <li key={`${index}-${kind}`} className="row small">
                <span className="kind">{kind}</span>
                {score !== undefined && <Score score={score} />}
                <span className="soft">
                  {[surface && `in ${surface}`, source === 'recognised' && 'recognized by Studio']
                    .filter(Boolean)
                    .join(', ')}
                </span>
              </li>
            ))}
          </ul>
        </section>
      )}
      {node.changes.length > 0 && (
        <section className="stack" aria-label="Changes">
          <h3>{REFUSING.has(node.outcome) ? 'Refused' : 'Changes'}</h3>
          {node.changes.map((change, index) => (
            <Change key={`${index}-${change.place}`} change={change} />
          ))}
          {!isRevealed && node.changes.some(hasHidden) && (
            <p className="soft small">Found values are hidden. “Show found values” at the top shows them.</p>
          )}
        </section>
      )}
      {node.truncated && <p className="soft small">The node has more changes than Studio records.</p>}
      {node.changes.length === 0 && node.findings.length === 0 && (
        <p className="soft small">{WITHOUT_CHANGES[node.outcome]}</p>
      )}
    </>
  )
}

/** Outcomes that stop the run, the step or the call. */
const REFUSING: ReadonlySet<Outcome> = new Set(['blocked', 'halted', 'retried', 'suspended'])

/** The meaning of each outcome, for nodes without details. */
const WITHOUT_CHANGES: Readonly<Record<Outcome, string>> = {
  passed: 'It changed nothing.',
  held: 'It held text back for a time, and then emitted it unchanged.',
  changed: 'The changes were not recorded.',
  blocked: 'It ended the run, or refused a call.',
  halted: "It answered in the model's place.",
  suspended: 'It suspended the run until it is answered.',
  retried: 'It had the step repeated.',
  skipped: 'It failed, and the run continued without it.',
  failed: 'It failed, and the run failed.',
}

const hasHidden = ({ difference }: ChangeView): boolean => difference.some(({ hidden }) => hidden)

function Change({ change }: { change: ChangeView }) {
  const { place, before, after, difference } = change
  const isCut = before?.cut ?? after?.cut ?? false
  return (
    <figure className="change">
      <figcaption className="soft small">
        {place}
        {after === undefined && before !== undefined && ' · nothing is emitted'}
        {before === undefined && after !== undefined && ' · new'}
      </figcaption>
      <div className="well">
        <Difference parts={difference} />
        {isCut && <p className="text-cut">Truncated: only the beginning was recorded.</p>}
      </div>
    </figure>
  )
}

/** A score from 0 to 1, as a number and a bar. */
export function Score({ score }: { score: number }) {
  return (
    <span className="score number">
      <i className="score-track" aria-hidden="true">
        <b className="score-fill" style={{ width: `${Math.min(1, Math.max(0, score)) * 100}%` }} />
      </i>
      {formatPercent(score)}
    </span>
  )
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </>
  )
}

function ModelDetail({ node, step }: { node: ModelNode; step: PlacedNode['step'] }) {
  const { prompt } = node
  return (
    <>
      <dl className="facts">
        <Fact label="Provider">{node.provider}</Fact>
        {node.durationMs !== undefined && (
          <Fact label="Time">
            {formatDuration(node.durationMs)}
            {node.timeToFirstChunkMs !== undefined &&
              `, first chunk after ${formatDuration(node.timeToFirstChunkMs)}`}
          </Fact>
        )}
        {step?.finishReason !== undefined && <Fact label="Ended with">{step.finishReason}</Fact>}
        {step && tokenTotal(step.usage) !== undefined && (
          <Fact label="Tokens">
            {formatCount(step.usage.inputTokens ?? 0)} in, {formatCount(step.usage.outputTokens ?? 0)} out
            {step.usage.cacheReadTokens ? `, ${formatCount(step.usage.cacheReadTokens)} from a cache` : ''}
          </Fact>
        )}
        <Fact label="Tools">{node.tools.length === 0 ? 'none' : node.tools.join(', ')}</Fact>
      </dl>
      <section className="stack" aria-label="Prompt">
        <h3>Prompt</h3>
        {!prompt && <p className="soft small">The prompt was not recorded.</p>}
        {prompt && prompt.kept > 0 && (
          <p className="soft small">{plural(prompt.kept, 'message')} as in the previous call, then:</p>
        )}
        {prompt && <MessageList messages={prompt.messages} />}
      </section>
      {step?.reasoning && (
        <section className="stack" aria-label="Reasoning">
          <h3>Reasoning</h3>
          <div className="well">
            <TextView text={step.reasoning} />
          </div>
        </section>
      )}
    </>
  )
}

function CallDetail({ call }: { call: ToolCallView }) {
  return (
    <>
      <dl className="facts">
        {call.durationMs !== undefined && <Fact label="Time">{formatDuration(call.durationMs)}</Fact>}
        {call.retries > 0 && (
          <Fact label="Executed again">{plural(call.retries, 'time')} after an error</Fact>
        )}
        {call.approval && (
          <Fact label="Approval">
            {call.approval.state}
            {call.approval.reason !== undefined && `: ${call.approval.reason}`}
          </Fact>
        )}
        {call.runId !== undefined && (
          <Fact label="Agent">
            <Link href={addressOf(call.runId)}>Open its run</Link>
          </Fact>
        )}
        <Fact label="Call">
          <span className="code">{call.toolCallId}</span>
        </Fact>
      </dl>
      {call.input && (
        <section className="stack" aria-label="Input">
          <h3>Input</h3>
          <div className="well">
            <JsonView text={call.input} />
          </div>
        </section>
      )}
      {call.output && (
        <section className="stack" aria-label="Output">
          <h3>Output</h3>
          <div className="well">
            <JsonView text={call.output} />
          </div>
        </section>
      )}
      {call.error && (
        <section className="stack" aria-label="Error">
          <h3>Error</h3>
          <div className="well error-text">
            <TextView text={call.error} isCode />
          </div>
        </section>
      )}
    </>
  )
}
