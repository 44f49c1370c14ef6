#ifndef FAKE_TERMIOS_H
#define FAKE_TERMIOS_H

/* Types */
typedef unsigned char cc_t;
typedef unsigned int speed_t, tcflag_t;
typedef int pid_t;
#define NCCS 32
struct termios { tcflag_t c_iflag, c_oflag, c_cflag, c_lflag; cc_t c_line, c_cc[NCCS]; speed_t c_ispeed, c_ospeed; };

/* Special characters */
#define VINTR 0
#define VQUIT 1
#define VERASE 2
#define VKILL 3
#define VEOF 4
#define VTIME 5
#define VMIN 6

/* Flags of input, output, control and line */
#define IGNBRK 01
#define BRKINT 02
#define PARMRK 010
#define INPCK 020
#define ISTRIP 040
#define INLCR 0100
#define IGNCR 0200
#define ICRNL 0400
#define IXON 02000
#define IXOFF 010000
#define OPOST 01
#define CSIZE 060
#define CS8 060
#define CSTOPB 0100
#define CREAD 0200
#define PARENB 0400
#define CLOCAL 04000
#define ISIG 01
#define ICANON 02
#define ECHO 010
#define ECHOE 020
#define ECHONL 0100
#define IEXTEN 0100000
#define TCSANOW 0
#define TCSADRAIN 1
#define TCSAFLUSH 2
#define TCIFLUSH 0
#define TCOFLUSH 1
#define TCIOFLUSH 2

/* Speeds */
#define B9600 015
#define B19200 016
#define B38400 017
#define B57600 010001
#define B115200 010002

/* Functions */
int tcgetattr(int, struct termios *);
int tcsetattr(int, int, const struct termios *);
int tcflush(int, int);
int tcdrain(int);
int cfsetispeed(struct termios *, speed_t);
int cfsetospeed(struct termios *, speed_t);
speed_t cfgetispeed(const struct termios *);
speed_t cfgetospeed(const struct termios *);
void cfmakeraw(struct termios *);

#endif
