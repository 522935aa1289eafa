import { formatCount, formatPercent } from '../format/numbers.ts'
import { ScrollRegion } from '../parts/scroll-region.tsx'
import { shareOf, type Tally } from './tally.ts'

interface TallyTableProps {
  names: readonly string[]
  /** In the order of `names`. */
  tallies: readonly Tally[]
  rowCount: number
}

/** The counts of each guard over all texts. */
export function TallyTable({ names, tallies, rowCount }: TallyTableProps) {
  const isLabelled = tallies.some(({ labelled }) => labelled)
  return (
    <section className="card" aria-label="Counts">
      <ScrollRegion className="table-scroll" label="Table of counts">
        <table className="bench-table number">
          <thead>
            <tr>
              <th scope="col">Guard</th>
              <th scope="col">Found in</th>
              <th scope="col">Marked false alarms</th>
              {isLabelled && (
                <>
                  <th scope="col">Recall</th>
                  <th scope="col">False alarm rate</th>
                </>
              )}
              <th scope="col">Failed</th>
            </tr>
          </thead>
          <tbody>
            {tallies.map(({ found, falseAlarms, failed, labelled }, index) => (
              <tr key={names[index]}>
                <th scope="row">{names[index]}</th>
                <td>{share(found, rowCount)}</td>
                <td>{share(falseAlarms, found)}</td>
                {isLabelled && (
                  <>
                    <td>{labelled && share(labelled.hits, labelled.wanted)}</td>
                    <td>{labelled && share(labelled.alarms, labelled.unwanted)}</td>
                  </>
                )}
                <td>{formatCount(failed)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollRegion>
    </section>
  )
}

function share(part: number, whole: number): string {
  const value = shareOf(part, whole)
  return value === undefined
    ? formatCount(part)
    : `${formatCount(part)} of ${formatCount(whole)} (${formatPercent(value)})`
}
