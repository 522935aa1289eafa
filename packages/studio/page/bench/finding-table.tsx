import type { BenchFinding } from '../../src/wire.ts'
import { ScrollRegion } from '../parts/scroll-region.tsx'
import { Score } from '../run/node-detail.tsx'

interface FindingTableProps {
  text: string
  findings: readonly (BenchFinding & { guard: string })[]
}

/** Maximum length of a displayed value. */
const MAX_LENGTH = 60

/** The findings with their position, score and source. */
export function FindingTable({ text, findings }: FindingTableProps) {
  return (
    <ScrollRegion className="table-scroll" label="Table of findings">
      <table className="bench-table">
        <thead>
          <tr>
            <th scope="col">Type</th>
            <th scope="col">Passage</th>
            <th scope="col">Score</th>
            <th scope="col">Found by</th>
            <th scope="col">Guard</th>
          </tr>
        </thead>
        <tbody>
          {findings.map(({ guard, type, start, end, score, layers, encodings }, index) => (
            <tr key={`${index}-${start}`}>
              <td>
                <span className="kind">{type}</span>
              </td>
              <td className="code passage">{shorten(text.slice(start, end))}</td>
              <td>
                <Score score={score} />
              </td>
              <td className="soft">
                {layers.join(', ')}
                {encodings && encodings.length > 0 && ` (in ${encodings.join(', ')})`}
              </td>
              <td className="soft">{guard}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  )
}

function shorten(text: string): string {
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text
}
