const QUESTIONS = [
  'Where is my order 1042?',
  'Please refund order 1042',
  'How do I care for my chain?',
  'Do you promise that it comes tomorrow?',
  'How can I contact your mechanic?',
  'Is there a voucher code?',
]

/** The empty state of a new conversation. */
export function Welcome({ onAsk }: { onAsk: (text: string) => void }) {
  return (
    <div className="welcome">
      <h2>How can we help?</h2>
      <p>Ask about an order, a refund, or your bicycle. The shop and its answers are fictional.</p>
      <ul className="questions" aria-label="Example questions">
        {QUESTIONS.map((question) => (
          <li key={question}>
            <button type="button" className="question" onClick={() => onAsk(question)}>
              {question}
            </button>
          </li>
        ))}
      </ul>
    </div>
  )
}
