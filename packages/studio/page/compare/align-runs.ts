import type { PipelineNode, ProcessorNode, RunDetail } from '../../src/wire.ts'

/** A processor node of each run; one is missing if only the other run has it. */
export interface AlignedNode {
  processorId: string
  hook: string
  left?: ProcessorNode
  right?: ProcessorNode
}

export interface AlignedPart {
  title: string
  nodes: AlignedNode[]
}

/** Aligns the processor nodes of two runs by part of the run, processor, hook and count. */
export function alignRuns(left: RunDetail, right: RunDetail): AlignedPart[] {
  const parts: AlignedPart[] = [{ title: 'Before the first step', nodes: align(left.before, right.before) }]
  const steps = Math.max(left.steps.length, right.steps.length)
  for (let index = 0; index < steps; index++) {
    parts.push({
      title: `Step ${index + 1}`,
      nodes: align(left.steps[index]?.pipeline ?? [], right.steps[index]?.pipeline ?? []),
    })
  }
  parts.push({ title: 'After the last step', nodes: align(left.after, right.after) })
  return parts.filter(({ nodes }) => nodes.length > 0)
}

function align(left: readonly PipelineNode[], right: readonly PipelineNode[]): AlignedNode[] {
  const aligned = new Map<string, AlignedNode>()
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
      aligned.set(key, { ...aligned.get(key), processorId, hook, [side]: node })
    }
  }
  return [...aligned.values()]
}

/** Whether a processor did the same in both runs. */
export function isSame({ left, right }: AlignedNode): boolean {
  return left !== undefined && right !== undefined && left.outcome === right.outcome
}
