import type { PipelineNode, ProcessorNode, RunDetail } from '../../src/wire.ts'

/** A gate of one run beside the same of another: one is missing where only one of them has it. */
export interface AlignedGate {
  processorId: string
  hook: string
  left?: ProcessorNode
  right?: ProcessorNode
}

export interface AlignedPart {
  title: string
  gates: AlignedGate[]
}

/** The processors of two runs side by side: by part of the run, processor, hook, and how often it came there. */
export function alignRuns(left: RunDetail, right: RunDetail): AlignedPart[] {
  const parts: AlignedPart[] = [{ title: 'Before the first step', gates: align(left.before, right.before) }]
  const steps = Math.max(left.steps.length, right.steps.length)
  for (let index = 0; index < steps; index++) {
    parts.push({
      title: `Step ${index + 1}`,
      gates: align(left.steps[index]?.pipeline ?? [], right.steps[index]?.pipeline ?? []),
    })
  }
  parts.push({ title: 'After the last step', gates: align(left.after, right.after) })
  return parts.filter(({ gates }) => gates.length > 0)
}

function align(left: readonly PipelineNode[], right: readonly PipelineNode[]): AlignedGate[] {
  const gates = new Map<string, AlignedGate>()
  for (const [side, nodes] of [
    ['left', left],
    ['right', right],
  ] as const) {
    const seen = new Map<string, number>()
    for (const node of nodes) {
      if (node.kind !== 'processor') continue
      const { processorId, hook } = node
      const name = JSON.stringify([processorId, hook])
      const count = seen.get(name) ?? 0
      seen.set(name, count + 1)
      const key = `${name} ${count}`
      gates.set(key, { ...gates.get(key), processorId, hook, [side]: node })
    }
  }
  return [...gates.values()]
}

/** Whether a gate did the same in both runs. */
export function isSame({ left, right }: AlignedGate): boolean {
  return left !== undefined && right !== undefined && left.outcome === right.outcome
}
