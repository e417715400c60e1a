// A unit that is a program, by the protocol tandem-unit/1 (docs/command_protocol.md of tandem). It takes and gives no
// tensors: a stage that uses it takes as long as it should, and what it makes is made up.
import {spawn} from 'node:child_process';
import readline from 'node:readline';

const HANDLE = 1;

export class UnitProgram {
  // Ready for runs of `batch` inferences of that model.
  static async open(command, model, batch, allowed) {
    if (!allowed) throw new Error(`would start ${JSON.stringify(command.join(' '))}; --allow-commands does`);
    const program = new UnitProgram(command);
    const greeting = await program.answer();
    if (!greeting.startsWith('tandem-unit/1 ')) throw new Error(`${command[0]}: no greeting of tandem-unit/1, but "${greeting}"`);
    await program.ask(`load ${HANDLE} ${batch} ${model}`);
    return program;
  }

  constructor(command) {
    this.name = command[0];
    this.lines = [];
    this.child = spawn(command[0], command.slice(1), {stdio: ['pipe', 'pipe', 'inherit']});
    this.child.on('error', (error) => this.end(error.message));
    this.child.stdin.on('error', () => {});  // it has ended, and that is said below
    const lines = readline.createInterface({input: this.child.stdout});
    lines.on('line', (line) => this.take(line));
    lines.on('close', () => this.end('it ended'));
  }

  take(line) {
    this.lines.push(line);
    this.settle();
  }
  end(why) {
    this.ended ??= why;
    this.settle();
  }
  settle() {
    if (!this.waiting || (this.lines.length === 0 && !this.ended)) return;
    const {resolve, reject} = this.waiting;
    this.waiting = undefined;
    if (this.lines.length === 0) return reject(new Error(`${this.name}: ${this.ended}`));
    const line = this.lines.shift();
    line.startsWith('error ') ? reject(new Error(`${this.name}: ${line.slice(6)}`)) : resolve(line);
  }
  answer() {
    return new Promise((resolve, reject) => {
      this.waiting = {resolve, reject};
      this.settle();
    });
  }
  ask(line) {
    const answered = this.answer();
    this.child.stdin.write(`${line}\n`);
    return answered;
  }

  run() { return this.ask(`run ${HANDLE} 1`); }
}
